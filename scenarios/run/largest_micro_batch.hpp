// How large the micro-batch could be with everything else as planned: the same global batch in fewer, larger passes.
#pragma once

#include <cstdint>

#include "scenarios/resolve/resolve.hpp"

namespace trainsim {

// The largest micro-batch that divides the batch of a data-parallel rank, that the schedule allows, and that fits; 0 if
// none does. Every such size is tried: a larger one may fit where a smaller one does not, since fewer are in flight.
std::int64_t largest_micro_batch(const ResolvedScenario& scenario);

}  // namespace trainsim
