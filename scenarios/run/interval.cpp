#include "scenarios/run/interval.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/embedded_document.hpp"
#include "simulator/input/sourced_section.hpp"

namespace trainsim {

EmbeddedFolder interval_catalog_files();

namespace {

IntervalRules read_rules(const Node& root, ReadContext& context) {
  MapReader file(root, "", context);
  IntervalRules rules;
  SourcedSection width(file, "half_width");
  rules.quantile = width.number("quantile", {0.0, 1.0});
  rules.most_of_mean = width.number("most_of_mean");
  rules.least = width.number("least");
  rules.unknown = width.number("unknown");
  width.finish();
  SourcedSection widening(file, "widening");
  rules.other_accelerator = widening.number("other_accelerator", {.low = 1.0});
  rules.other_stack = widening.number("other_stack", {.low = 1.0});
  rules.other_workload = widening.number("other_workload", {.low = 1.0});
  rules.per_decade_of_gpus = widening.number("per_decade_of_gpus");
  rules.per_decade_of_parameters = widening.number("per_decade_of_parameters");
  widening.finish();
  file.finish();
  return rules;
}

Extent read_extent(MapReader& map, std::string_view key) {
  const Node* node = map.node(key);
  if (node == nullptr || node->items.size() != 2) {
    map.fault(key, "is no pair", "[lowest, highest]");
    return {};
  }
  const std::string path = map.path_of(key);
  return {read_number(node->items[0], path, map.context()).value_or(0.0),
          read_number(node->items[1], path, map.context()).value_or(0.0)};
}

ValidatedKind read_kind(const Node& node, ReadContext& context) {
  MapReader map(node, "kinds", context);
  for (const char* key : {"stack", "accelerator", "workload", "runs", "half_width"}) map.require(key);
  ValidatedKind kind;
  kind.kind = {map.text("stack").value_or(""), map.text("accelerator").value_or(""), map.text("workload").value_or("")};
  kind.runs = static_cast<std::size_t>(map.integer("runs", {1}).value_or(1));
  kind.half_width = map.number("half_width").value_or(0.0);
  kind.gpus = read_extent(map, "gpus");
  kind.parameters = read_extent(map, "parameters");
  if (const Node* sources = map.node("sources")) {
    for (const Node& source : sources->items) kind.sources.push_back(source.scalar);
  }
  map.finish();
  return kind;
}

// Factors of ten between the value and the extent; 0 inside.
double decades_outside(double value, const Extent& extent) {
  if (value > extent.high) return std::log10(value / extent.high);
  return value < extent.low ? std::log10(extent.low / value) : 0.0;
}

double factor_of(const RunKind& kind, double gpus, double parameters, const ValidatedKind& validated) {
  const IntervalRules& factors = interval_rules();
  double factor = 1.0 + factors.per_decade_of_gpus * decades_outside(gpus, validated.gpus);
  factor *= 1.0 + factors.per_decade_of_parameters * decades_outside(parameters, validated.parameters);
  if (kind.accelerator != validated.kind.accelerator) factor *= factors.other_accelerator;
  if (kind.stack != validated.kind.stack) factor *= factors.other_stack;
  if (kind.workload != validated.kind.workload) factor *= factors.other_workload;
  return factor;
}

std::string description(const ValidatedKind& validated, double factor) {
  std::string text = fmt::format("{} {} {} of {} on {:g} to {:g} {} ({})", validated.runs, validated.kind.workload,
                                 validated.runs == 1 ? "run" : "runs", validated.kind.stack, validated.gpus.low,
                                 validated.gpus.high, validated.kind.accelerator, fmt::join(validated.sources, ", "));
  if (factor > 1.0) text += fmt::format(", widened {:.2g} times: this run is unlike them", factor);
  return text;
}

}  // namespace

RunKind kind_of(const ResolvedScenario& scenario) {
  const Model& model = scenario.scenario.model;
  const Accelerator& accelerator = scenario.scenario.cluster.node.accelerator;
  const std::string workload = model.lora ? "adapters" : model.experts ? "experts" : "dense";
  return {scenario.stack.name, accelerator.base.empty() ? accelerator.name : accelerator.base, workload};
}

const std::vector<ValidatedKind>& validated_kinds() {
  static const auto all =
      read_embedded(interval_catalog_files().find("validated"), [](const Node& root, ReadContext& context) {
        std::vector<ValidatedKind> read;
        MapReader file(root, "", context);
        file.require("kinds");
        if (const Node* list = file.node("kinds")) {
          for (const Node& node : list->items) read.push_back(read_kind(node, context));
        }
        file.finish();
        return read;
      });
  return all;
}

const IntervalRules& interval_rules() {
  static const IntervalRules rules = read_embedded(interval_catalog_files().find("interval_rules"), read_rules);
  return rules;
}

Result::Interval interval_of(double step_s, const RunKind& kind, double gpus, double parameters,
                             const std::vector<ValidatedKind>& validated) {
  Result::Interval interval;
  const ValidatedKind* nearest = nullptr;
  double least_factor = 0.0;
  for (const ValidatedKind& known : validated) {
    const double factor = factor_of(kind, gpus, parameters, known);
    if (nearest != nullptr && factor >= least_factor) continue;
    nearest = &known;
    least_factor = factor;
  }
  double half_width = interval_rules().unknown;
  if (nearest != nullptr) {
    const double most = std::max(half_width, nearest->half_width);
    half_width = std::min(most, std::max(nearest->half_width, interval_rules().least) * least_factor);
    interval.rests_on = {description(*nearest, least_factor)};
  }
  interval.low_s = step_s * std::exp(-half_width);
  interval.high_s = step_s * std::exp(half_width);
  return interval;
}

}  // namespace trainsim
