#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"
#include "topologies/catalog.hpp"

namespace trainsim {

namespace {

// packed | scattered | {file: ranks.txt}
void read_placement(MapReader& map, ClusterSection& cluster) {
  const Node* node = map.node("placement");
  if (node == nullptr) return;
  if (node->kind != Node::Kind::map) {
    cluster.placement =
        read_meaning<PlacementKind>(map, "placement",
                                    {{"packed", PlacementKind::packed}, {"scattered", PlacementKind::scattered}})
            .value_or(PlacementKind::packed);
    return;
  }
  read_map(map, "placement", [&cluster](MapReader& form) {
    form.require("file");
    cluster.placement = PlacementKind::file;
    cluster.placement_file = form.text("file").value_or("");
    if (form.has("file") && cluster.placement_file.empty()) form.fault("file", "empty", "a path beside the scenario");
  });
}

void read_storage(MapReader& storage) {
  for (const char* key : {"read", "write"}) storage.quantity(key, Unit::bytes_per_s, kAboveZero);
}

}  // namespace

ClusterSection read_cluster(MapReader& root) {
  ClusterSection cluster;
  root.require("cluster");
  read_map(root, "cluster", [&cluster](MapReader& map) {
    map.refuse_later("groups");
    if (!map.has("groups")) {
      require_exactly_one(map, {"nodes", "gpus"});
      map.require("node");
    }
    cluster.nodes = map.integer("nodes", {1, kMostGpus});
    cluster.gpus = map.integer("gpus", {1, kMostGpus});
    if (const Node* node = map.node("node")) cluster.node = read_node(*node, map.path_of("node"), map.context());
    cluster.gpus_per_node = map.integer("gpus_per_node", {1, kMostGpus});
    cluster.fabric = read_fabric(map);
    read_placement(map, cluster);
    refuse_section(map, "storage", read_storage);
  });
  return cluster;
}

}  // namespace trainsim
