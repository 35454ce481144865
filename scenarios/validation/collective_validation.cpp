#include "scenarios/validation/collective_validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "scenarios/validation/collective_tables.hpp"
#include "simulator/lowering/menu.hpp"
#include "topologies/build.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {
namespace {

// Nodes of the topology catalog, which are domains of the accelerators' links, for what a table calls nodes: trays.
std::uint32_t domains(const NodeSpec& node, std::int64_t trays) {
  const std::uint32_t of_node = trays_of(node);
  return static_cast<std::uint32_t>((trays + of_node - 1) / of_node);
}

// A machine of the catalog with the network of a table, and the collectives of one communicator on it.
class TableMachine {
 public:
  TableMachine(const TableCase& found, const CollectiveRow& row)
      : node_(spec_of(found)),
        fabric_(fabric_of(found, row)),
        topology_(build_topology(node_, fabric_)),
        router_(topology_, NodeOptions{node_.pcie.peer_to_peer, node_.nics.gpudirect}),
        catalog_(collective_catalog(fabric_.protocol, node_.accelerator.architecture)) {
    const auto of_node = static_cast<std::uint32_t>(row.gpus / fabric_.nodes);
    for (std::uint32_t n = 0; n < fabric_.nodes; ++n) {
      for (std::uint32_t gpu = 0; gpu < of_node; ++gpu) gpu_of_rank_.emplace_back(n * node_.gpus + gpu);
    }
    for (std::size_t r = 0; r < gpu_of_rank_.size(); ++r) ranks_.emplace_back(r);
  }
  TableMachine(const TableMachine&) = delete;
  TableMachine& operator=(const TableMachine&) = delete;

  // Fills in the prediction.
  void predict(const TableCase& found, ComparedCollective& compared) {
    const LoweringContext context{router_, catalog_, gpu_of_rank_};
    const auto key = std::pair(found.kind, found.algorithm);
    auto menu = menus_.find(key);
    if (menu == menus_.end()) {
      const CollectiveChoice choice{found.algorithm, "auto", found.network.in_network};
      menu = menus_.emplace(key, CollectiveMenu(found.kind, choice, ranks_, context)).first;
    }
    const CollectiveMenu::Pick pick = menu->second.fastest(compared.bytes);
    compared.algorithm = menu->second.algorithm_of(pick);
    for (const Protocol protocol : pick.protocols) {
      compared.algorithm += " " + std::string(kProtocolNames[static_cast<std::size_t>(protocol)]);
    }
    compared.predicted_s = idle_time_s(menu->second.transfer(pick, compared.bytes), context);
  }

 private:
  static NodeSpec spec_of(const TableCase& found) {
    NodeSpec node = catalog_node(found.node);
    if (found.network.nics > 0) node.nics.count = found.network.nics;
    if (found.network.link_bytes_per_s > 0) node.nics.bandwidth_bytes_per_s = found.network.link_bytes_per_s;
    return node;
  }
  [[nodiscard]] FabricSpec fabric_of(const TableCase& found, const CollectiveRow& row) const {
    FabricSpec fabric;
    fabric.nodes = domains(node_, row.nodes);
    fabric.kind = node_.nics.count == node_.gpus ? FabricKind::rail_optimized : FabricKind::leaf_spine;
    fabric.link_bandwidth_bytes_per_s = node_.nics.bandwidth_bytes_per_s;
    if (!found.network.protocol.empty()) fabric.protocol = found.network.protocol;
    return fabric;
  }

  NodeSpec node_;
  FabricSpec fabric_;
  Topology topology_;
  Router router_;
  CollectiveCatalog catalog_;
  std::vector<GpuId> gpu_of_rank_;
  std::vector<RankId> ranks_;
  std::map<std::pair<CollectiveKind, std::string>, CollectiveMenu> menus_;
};

class Comparison {
 public:
  void add(const CollectiveRow& row) {
    const TableReading reading = reading_of(row);
    if (!reading.found) {
      ++reasons_[reading.why_not];
      return;
    }
    if (row.gpus % domains(catalog_node(reading.found->node), row.nodes) != 0) {
      ++reasons_["accelerators are not spread evenly over the nodes"];
      return;
    }
    ComparedCollective compared{row.place,
                                row.source,
                                row.collective,
                                row.accelerator,
                                row.nodes > 1 ? reading.found->network.protocol : "one node",
                                "",
                                row.nodes,
                                row.gpus,
                                *row.bytes,
                                *row.time_s,
                                0.0};
    machine_of(*reading.found, row).predict(*reading.found, compared);
    result_.compared.push_back(std::move(compared));
  }

  CollectiveValidation finish() {
    summarize_groups();
    result_.worst = worst_of(result_.compared);
    for (const auto& [why, rows] : reasons_) result_.set_aside.push_back({why, rows});
    std::ranges::stable_sort(result_.set_aside, std::greater{}, &CollectiveValidation::SetAside::rows);
    return std::move(result_);
  }

 private:
  TableMachine& machine_of(const TableCase& found, const CollectiveRow& row) {
    const TableNetwork& network = found.network;
    const auto key =
        std::tuple(found.node, network.protocol, network.link_bytes_per_s, network.nics, row.nodes, row.gpus);
    std::unique_ptr<TableMachine>& machine = machines_[key];
    if (!machine) machine = std::make_unique<TableMachine>(found, row);
    return *machine;
  }

  void summarize_groups() {
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<PredictionError>> errors_of;
    std::vector<PredictionError> all;
    for (const ComparedCollective& one : result_.compared) {
      const PredictionError error{one.error(), one.bytes};
      errors_of[{one.collective, one.accelerator, one.network}].push_back(error);
      all.push_back(error);
    }
    for (const auto& [key, errors] : errors_of) {
      result_.groups.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), summarize(errors)});
    }
    result_.all = summarize(all);
  }

  using Key = std::tuple<std::string, std::string, double, std::uint32_t, std::int64_t, std::int64_t>;
  std::map<Key, std::unique_ptr<TableMachine>> machines_;
  std::map<std::string, std::size_t> reasons_;
  CollectiveValidation result_;
};

}  // namespace

CollectiveValidation validate_collectives(const std::filesystem::path& folder) {
  Comparison comparison;
  for (const CollectiveRow& row : read_collective_rows(folder)) comparison.add(row);
  return comparison.finish();
}

}  // namespace trainsim
