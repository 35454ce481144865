#include "topologies/catalog.hpp"

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/embedded_document.hpp"

namespace trainsim {

EmbeddedFolder topology_catalog_files();

namespace {

EmbeddedFolder accelerator_files() { return topology_catalog_files().below("catalog/accelerators/"); }
EmbeddedFolder node_files() { return topology_catalog_files().below("catalog/nodes/"); }

template <class Spec>
Spec read_file(const EmbeddedFolder& folder, std::string_view name,
               Spec (*read)(const Node&, const std::string&, ReadContext&)) {
  Spec spec =
      read_embedded(folder.find(name), [&](const Node& root, ReadContext& context) { return read(root, "", context); });
  spec.name = name;
  return spec;
}

}  // namespace

std::vector<std::string> accelerator_names() { return accelerator_files().names(); }
std::vector<std::string> node_names() { return node_files().names(); }

std::vector<std::string> later_accelerator_names() {
  return {"tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "jetson-agx-orin"};
}

std::vector<std::string> later_node_names() {
  return {"dgx-1-v100", "tpu-v4-pod", "tpu-v5p-pod", "tpu-v5e-pod", "tpu-v6e-pod"};
}

Accelerator catalog_accelerator(std::string_view name) {
  return read_file(accelerator_files(), name, read_accelerator);
}
NodeSpec catalog_node(std::string_view name) { return read_file(node_files(), name, read_node); }

std::string_view topology_catalog_sha256() { return topology_catalog_files().sha256(); }

}  // namespace trainsim
