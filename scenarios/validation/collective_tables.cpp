#include "scenarios/validation/collective_tables.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "scenarios/validation/catalog_files.hpp"
#include "simulator/input/embedded_document.hpp"

namespace trainsim {

namespace {

// What the text of a column must be like.
struct Condition {
  std::string where;
  std::string has, lacks, equals;  // each if not empty
  std::string collective;          // only rows of this one
  bool several_nodes = false;      // only rows of several nodes

  [[nodiscard]] bool fits(const CollectiveRow& row) const {
    const std::string& text = row.text(where);
    if (!collective.empty() && row.collective != collective) return false;
    if (several_nodes && row.nodes < 2) return false;
    if (!equals.empty() && text != equals) return false;
    if (!lacks.empty() && text.find(lacks) != std::string::npos) return false;
    return has.empty() || text.find(has) != std::string::npos;
  }
};

template <class T>
using Entries = std::vector<std::pair<Condition, T>>;

template <class T>
const T* first_fit(const Entries<T>& entries, const CollectiveRow& row) {
  const auto found = std::ranges::find_if(entries, [&row](const auto& entry) { return entry.first.fits(row); });
  return found == entries.end() ? nullptr : &found->second;
}

struct Words {
  Entries<std::string> set_aside, nodes, algorithms;
  Entries<TableNetwork> networks;
};

Condition read_condition(MapReader& map, std::string_view default_column) {
  Condition condition;
  condition.where = map.text("where").value_or(std::string(default_column));
  condition.has = map.text("has").value_or("");
  condition.lacks = map.text("lacks").value_or("");
  condition.equals = map.text("equals").value_or("");
  condition.collective = map.text("collective").value_or("");
  condition.several_nodes = map.boolean("several_nodes").value_or(false);
  return condition;
}

// The entries of list `key`, each with what `read` makes of the rest of it.
template <class T, class Read>
Entries<T> read_entries(MapReader& root, std::string_view key, std::string_view default_column, Read read) {
  Entries<T> entries;
  root.require(key);
  const Node* list = root.node(key);
  if (list == nullptr) return entries;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    MapReader map(list->items[i], std::string(key) + "." + std::to_string(i), root.context());
    Condition condition = read_condition(map, default_column);
    entries.emplace_back(std::move(condition), read(map));
    map.finish();
  }
  return entries;
}

TableNetwork read_network(MapReader& map) {
  TableNetwork network;
  network.protocol = map.text("protocol").value_or("");
  network.link_bytes_per_s = map.quantity("link", Unit::bytes_per_s).value_or(0.0);
  network.nics = static_cast<std::uint32_t>(map.integer("nics", {1, 1024}).value_or(0));
  network.in_network = map.boolean("in_network").value_or(false);
  return network;
}

auto text_of(const char* key) {
  return [key](MapReader& map) { return map.text(key).value_or(""); };
}

const Words& words() {
  static const Words read =
      read_embedded(validation_catalog_files().find("collective_tables"), [](const Node& root, ReadContext& context) {
        MapReader map(root, "", context);
        map.text("source");
        Words all;
        all.set_aside = read_entries<std::string>(map, "set_aside", "", text_of("why"));
        all.nodes = read_entries<std::string>(map, "accelerators", "accelerator", text_of("node"));
        all.networks = read_entries<TableNetwork>(map, "networks", "network", read_network);
        all.algorithms = read_entries<std::string>(map, "algorithms", "algorithm", text_of("is"));
        map.finish();
        return all;
      });
  return read;
}

// nccl-tests' names.
constexpr std::array<std::pair<std::string_view, CollectiveKind>, 6> kKinds = {
    {{"all_reduce", CollectiveKind::all_reduce},
     {"all_gather", CollectiveKind::all_gather},
     {"reduce_scatter", CollectiveKind::reduce_scatter},
     {"alltoall", CollectiveKind::all_to_all},
     {"broadcast", CollectiveKind::broadcast},
     {"send_recv", CollectiveKind::send}}};

}  // namespace

TableReading reading_of(const CollectiveRow& row) {
  if (const std::string* why = first_fit(words().set_aside, row)) return {std::nullopt, *why};
  const auto kind = std::ranges::find(kKinds, row.collective, &std::pair<std::string_view, CollectiveKind>::first);
  if (kind == kKinds.end()) return {std::nullopt, "no collective of the library"};
  if (!row.bytes || *row.bytes <= 0) return {std::nullopt, "no message size"};
  if (!row.time_s) return {std::nullopt, "neither time nor bus bandwidth"};
  if (row.nodes < 1 || row.gpus < 2) return {std::nullopt, "number of nodes or accelerators not stated"};
  const std::string* node = first_fit(words().nodes, row);
  if (node == nullptr) return {std::nullopt, "the machine is not in the catalog"};
  TableCase found{kind->second, *node, {}, "auto"};
  if (row.nodes > 1) {
    const TableNetwork* network = first_fit(words().networks, row);
    if (network == nullptr) return {std::nullopt, "network between nodes not stated"};
    found.network = *network;
  }
  if (const std::string* algorithm = first_fit(words().algorithms, row)) found.algorithm = *algorithm;
  return {std::move(found), ""};
}

}  // namespace trainsim
