#include <set>

#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

constexpr std::int64_t kMostPorts = 65'536;
constexpr NumberRange kOversubscription{.low = 0.0, .high = 1e6, .low_is_open = true};

FabricLevel read_level(MapReader& map) {
  FabricLevel level;
  map.require("name");
  level.name = map.text("name").value_or("");
  if (const auto ports = map.integer("ports", {2, kMostPorts})) level.ports = static_cast<std::uint32_t>(*ports);
  if (const auto gpus = map.integer("gpus", {1, kMostGpus})) level.gpus = static_cast<std::uint32_t>(*gpus);
  level.oversubscription = map.number("oversubscription", kOversubscription).value_or(1.0);
  return level;
}

std::vector<FabricLevel> read_levels(MapReader& fabric) {
  std::vector<FabricLevel> levels;
  std::set<std::string> names;
  const Node* list = fabric.node("levels");
  read_items(fabric, "levels", [&](const Node& item, const std::string& path) {
    MapReader map(item, path, fabric.context());
    levels.push_back(read_level(map));
    const bool is_last = &item == &list->items.back();
    if (!is_last && map.is_map() && !map.has("ports") && !map.has("gpus")) {
      map.fault("", "missing: ports | gpus", "only the last level spans everything by itself");
    }
    if (!levels.back().name.empty() && !names.insert(levels.back().name).second) {
      map.fault("name", "'" + levels.back().name + "' a second time", "each level its own name");
    }
    map.finish();
  });
  if (list != nullptr && list->kind == Node::Kind::sequence && list->items.empty()) {
    fabric.fault("levels", "an empty list", "at least one level, or no levels at all");
  }
  return levels;
}

}  // namespace

ClusterSection::Fabric read_fabric(MapReader& cluster) {
  ClusterSection::Fabric fabric;
  read_map(cluster, "fabric", [&fabric](MapReader& map) {
    fabric.kind = read_meaning<FabricKind>(map, "kind",
                                           {{"single-switch", FabricKind::single_switch},
                                            {"leaf-spine", FabricKind::leaf_spine},
                                            {"fat-tree", FabricKind::fat_tree},
                                            {"rail-optimized", FabricKind::rail_optimized},
                                            {"rail-only", FabricKind::rail_only}},
                                           {"dragonfly", "torus", "import"});
    fabric.nodes = map.integer("nodes", {1, kMostGpus});
    fabric.link_bytes_per_s = map.quantity("link", Unit::bytes_per_s, kLinkRate);
    fabric.nics_per_node = map.integer("nics_per_node", {0, kMostGpus});
    fabric.latency_s = map.quantity("latency", Unit::seconds).value_or(fabric.latency_s);
    fabric.leaf_ports = map.integer("leaf_ports", {2, kMostPorts}).value_or(fabric.leaf_ports);
    fabric.oversubscription = map.number("oversubscription", kOversubscription).value_or(fabric.oversubscription);
    fabric.levels = read_levels(map);
    read_word(map, "routing", {"adaptive"}, {"ecmp", "static"});
    fabric.protocol = read_word(map, "protocol", {"infiniband", "roce", "efa", "slingshot", "ethernet-tcp"})
                          .value_or(fabric.protocol);
  });
  return fabric;
}

}  // namespace trainsim
