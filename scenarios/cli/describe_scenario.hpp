// What a resolved scenario is, in words: for `trainsim check` and `trainsim show`.
#pragma once

#include <string>

#include "scenarios/resolve/resolve.hpp"

namespace trainsim {

// One line: model, GPUs, degrees, batch.
std::string summary(const ResolvedScenario& scenario);

// The plan, where its first ranks sit, the memory of each stage, the fabric's tiers and the names of links.
std::string description(const ResolvedScenario& scenario);

}  // namespace trainsim
