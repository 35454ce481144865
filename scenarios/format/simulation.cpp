#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

constexpr std::int64_t kMostRepetitions = 1'000'000;
constexpr std::int64_t kMostSteps = 1'000'000;

// Three forms: {gpu_hour}, {node_hour}, or what a node costs to own.
void read_cost_form(MapReader& map) {
  require_exactly_one(map, {"gpu_hour", "node_hour", "capital_per_node"});
  for (const char* key : {"gpu_hour", "node_hour", "capital_per_node"}) map.quantity(key, Unit::usd);
  if (!map.has("capital_per_node")) return;
  map.number("years", kAboveZero);
  map.quantity("power_price", Unit::usd_per_kwh);
  map.number("pue", {.low = 1.0});
  map.quantity("hosting_per_kw_month", Unit::usd);
}

}  // namespace

SimulationSection read_simulation(MapReader& root) {
  SimulationSection simulation;
  read_map(root, "simulation", [&simulation](MapReader& map) {
    simulation.seed = map.integer("seed").value_or(simulation.seed);
    simulation.steps = read_integer_or_auto(map, "steps", {1, kMostSteps});
    simulation.repetitions = map.integer("repetitions", {1, kMostRepetitions}).value_or(simulation.repetitions);
    simulation.fold = map.boolean("fold").value_or(simulation.fold);
  });
  return simulation;
}

void read_cost(MapReader& root) { refuse_section(root, "cost", read_cost_form); }

}  // namespace trainsim
