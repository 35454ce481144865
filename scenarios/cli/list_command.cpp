// trainsim list KIND: the names that a scenario can use, each with a line of help.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/cli/catalog_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/exit_status.hpp"
#include "scenarios/report/output_file.hpp"
#include "scenarios/resolve/names.hpp"
#include "simulator/base/registry.hpp"
#include "simulator/lowering/lowering.hpp"
#include "topologies/build.hpp"
#include "topologies/catalog.hpp"
#include "workloads/presets.hpp"

namespace trainsim {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;  // name, help

void add_later(Lines& lines, const std::vector<std::string>& names) {
  for (const std::string& name : names) lines.emplace_back(name, "not supported yet");
}

Lines models() {
  Lines lines;
  for (const std::string& name : model_names()) lines.emplace_back(name, one_line(preset_model(name)));
  add_later(lines, later_model_names());
  return lines;
}

Lines nodes() {
  Lines lines;
  for (const std::string& name : node_names()) lines.emplace_back(name, one_line(catalog_node(name)));
  add_later(lines, later_node_names());
  return lines;
}

Lines accelerators() {
  Lines lines;
  for (const std::string& name : accelerator_names()) lines.emplace_back(name, one_line(catalog_accelerator(name)));
  add_later(lines, later_accelerator_names());
  return lines;
}

Lines stacks() {
  Lines lines;
  for (const std::string& name : stack_names()) lines.emplace_back(name, catalog_stack(name).about);
  return lines;
}

Lines topologies() {
  Lines lines;
  for (const auto& entry : fabric_variants().entries()) lines.emplace_back(entry.name, "between nodes: " + entry.help);
  for (const auto& entry : node_variants().entries()) lines.emplace_back(entry.name, "inside a node: " + entry.help);
  return lines;
}

std::string_view purpose_of(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::gpipe:
      return "all forward passes, then all backward passes";
    case ScheduleKind::one_f_one_b:
      return "one forward, one backward pass in turn once the pipeline is full";
    case ScheduleKind::interleaved:
      return "one forward, one backward pass in turn over several model chunks per stage (virtual_stages > 1)";
  }
  return {};
}

Lines schedules() {
  Lines lines;
  for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::interleaved}) {
    lines.emplace_back(name_of(kind), purpose_of(kind));
  }
  return lines;
}

Lines collectives() {
  Lines lines;
  for (const std::string& name : algorithm_names()) lines.emplace_back(name, algorithm_help(name));
  return lines;
}

const Registry<Lines (*)()>& kinds() {
  static const Registry<Lines (*)()> table = [] {
    Registry<Lines (*)()> all;
    all.add("models", "Models to train (model.preset)", &models);
    all.add("nodes", "Nodes (cluster.node)", &nodes);
    all.add("accelerators", "GPUs and other accelerators (cluster.node.accelerator)", &accelerators);
    all.add("stacks", "Software stacks (software.stack)", &stacks);
    all.add("topologies", "Fabrics (cluster.fabric.kind) and node interiors (cluster.node.intra.kind)", &topologies);
    all.add("schedules", "Pipeline schedules (parallelism.schedule)", &schedules);
    all.add("collectives", "Algorithms of collectives (software.collectives.algorithm)", &collectives);
    return all;
  }();
  return table;
}

std::string listing(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [name, help] : lines) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, help] : lines) {
    text += help.empty() ? name + "\n" : fmt::format("{:<{}}  {}\n", name, width, help);
  }
  return text;
}

}  // namespace

void add_list_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("list", "List the names that a scenario can use");
  command->require_subcommand(1);
  for (const auto& kind : kinds().entries()) {
    CLI::App* listed = command->add_subcommand(kind.name, kind.help);
    listed->callback([make_lines = kind.value, &chosen] {
      chosen = [make_lines] {
        const std::string text = listing(make_lines());
        write_file("-", [&](std::ostream& out) { out << text; });
        return static_cast<int>(kDone);
      };
    });
  }
}

}  // namespace trainsim
