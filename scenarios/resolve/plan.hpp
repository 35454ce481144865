// How the model is spread, with every degree and default decided: degrees that multiply out to the job's GPUs, whole
// micro-batches, a schedule and layers per chunk that fit the pipeline.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "scenarios/format/scenario.hpp"
#include "scenarios/resolve/findings.hpp"

namespace trainsim {

constexpr std::int64_t kMostMicroBatches = 100'000;

// Fills the defaults into `scenario.training` and `scenario.parallelism` and returns the plan; nullopt when a fault
// left a part of it undecided. `gpus` are the job's, where they are known.
std::optional<Plan> resolve_plan(Scenario& scenario, std::optional<std::int64_t> gpus, const Stack& stack,
                                 Findings& findings);

// data = the GPUs that tensor x context x pipeline leave. False, with a fault, when the degrees do not multiply out.
bool resolve_data_degree(ParallelismSection& parallelism, std::int64_t gpus, Findings& findings);

// The group and the resharding of full sharding. REQUIRES: the data degree is decided.
void resolve_sharding(ParallelismSection& parallelism, Findings& findings);
bool reduces_every_micro_batch(const ParallelismSection& parallelism, const Stack& stack);

// The tensor degree inside experts, and faults where experts cannot be spread as written. REQUIRES: sequence_parallel
// is decided.
void resolve_experts(Scenario& scenario, Findings& findings);
// expert x expert_tensor divides the ranks of a stage. REQUIRES: the data degree and expert_tensor are decided.
void check_expert_ranks(const Scenario& scenario, Findings& findings);

// What several ranks that share a sequence need. REQUIRES: software.flash_attention is decided, where it is known.
void check_context(const Scenario& scenario, const Stack& stack, Findings& findings);
// Whether each rank gets an early and a late piece of the sequence, so that causal work is equal (Megatron's zig-zag).
bool balances_context(const Scenario& scenario, const Stack& stack);

// The format in which an optimizer keeps its moments when the scenario does not say.
std::string default_optimizer_state(const std::string& optimizer);

// Faults where the plan cuts heads, hidden sizes or the sequence into unequal parts; notes for what is replicated or
// padded instead.
void check_shapes(const Scenario& scenario, Findings& findings);
// A what-if beyond the published table of learned positions needs a longer one.
void extend_positions(Scenario& scenario, Findings& findings);

// The product, or INT64_MAX where it does not fit. All factors are positive.
std::int64_t saturating_product(std::initializer_list<std::int64_t> factors);
// "6 or 8": the divisors of `number` that are closest to `value` from below and above.
std::string divisors_near(std::int64_t number, std::int64_t value);

}  // namespace trainsim
