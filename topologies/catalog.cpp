#include "topologies/catalog.hpp"

#include <span>
#include <stdexcept>

#include "simulator/base/embedded_file.hpp"

namespace trainsim {

std::span<const EmbeddedFile> topology_catalog_files();
std::string_view topology_catalog_files_sha256();

namespace {

constexpr std::string_view kAccelerators = "catalog/accelerators/";
constexpr std::string_view kNodes = "catalog/nodes/";
constexpr std::string_view kSuffix = ".yaml";

std::vector<std::string> names_in(std::string_view folder) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : topology_catalog_files()) {
    if (!file.path.starts_with(folder)) continue;
    names.emplace_back(file.path.substr(folder.size(), file.path.size() - folder.size() - kSuffix.size()));
  }
  return names;
}

const EmbeddedFile& file_of(std::string_view folder, std::string_view name) {
  for (const EmbeddedFile& file : topology_catalog_files()) {
    if (file.path == std::string(folder).append(name).append(kSuffix)) return file;
  }
  throw std::out_of_range("no catalog entry is called '" + std::string(name) + "'");
}

// Catalog files are part of the program, so a fault in one is thrown with all its places (and a test reads them all).
template <class Spec>
Spec read_file(std::string_view folder, std::string_view name,
               Spec (*read)(const Node&, const std::string&, ReadContext&)) {
  const EmbeddedFile& file = file_of(folder, name);
  const Document document = parse_document(file.content, std::string(file.path));
  Diagnostics diagnostics;
  ReadContext context{document.file, diagnostics};
  Spec spec = read(document.root, "", context);
  diagnostics.throw_if_any();
  spec.name = name;
  return spec;
}

}  // namespace

std::vector<std::string> accelerator_names() { return names_in(kAccelerators); }
std::vector<std::string> node_names() { return names_in(kNodes); }

std::vector<std::string> later_accelerator_names() {
  return {"gb200",  "gb300",  "mi250x", "mi300x",  "mi325x",  "mi350x",  "mi355x",
          "gaudi2", "gaudi3", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "jetson-agx-orin"};
}

std::vector<std::string> later_node_names() {
  return {"dgx-1-v100", "gb200-nvl72", "gb300-nvl72", "mi300x-8",    "mi325x-8",    "mi350x-8",
          "mi355x-8",   "gaudi2-8",    "tpu-v4-pod",  "tpu-v5p-pod", "tpu-v5e-pod", "tpu-v6e-pod"};
}

Accelerator catalog_accelerator(std::string_view name) { return read_file(kAccelerators, name, read_accelerator); }
NodeSpec catalog_node(std::string_view name) { return read_file(kNodes, name, read_node); }

std::string_view topology_catalog_sha256() { return topology_catalog_files_sha256(); }

}  // namespace trainsim
