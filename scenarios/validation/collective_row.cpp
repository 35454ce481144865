#include "scenarios/validation/collective_row.hpp"

#include <fmt/format.h>

#include <array>

#include "simulator/input/csv.hpp"

namespace trainsim {
namespace {

// How each table calls its columns.
struct Columns {
  const char* file;
  const char *accelerator, *nodes, *gpus, *bytes, *bus_bandwidth, *algorithm, *note;
  std::array<const char*, 2> network;
};

constexpr std::array<Columns, 2> kTables = {Columns{"kernels/collectives_tables.csv",
                                                    "accelerator",
                                                    "nodes",
                                                    "gpus",
                                                    "bytes",
                                                    "busbw_gbps",
                                                    "algo",
                                                    "note",
                                                    {"topology", ""}},
                                            Columns{"measured/collectives.csv",
                                                    "gpu",
                                                    "n_nodes",
                                                    "n_gpus",
                                                    "size_bytes",
                                                    "busbw_GBps",
                                                    "",
                                                    "notes",
                                                    {"intra_node", "inter_node"}}};

// nccl-tests' factor of algorithm bandwidth to bus bandwidth.
std::optional<double> bus_factor(const std::string& collective, std::int64_t gpus) {
  if (gpus < 2) return std::nullopt;
  const double others = (static_cast<double>(gpus) - 1.0) / static_cast<double>(gpus);
  if (collective == "all_reduce") return 2.0 * others;
  if (collective == "all_gather" || collective == "reduce_scatter" || collective == "alltoall") return others;
  return 1.0;
}

std::optional<double> time_of(const CsvRow& row, const Columns& columns, const CollectiveRow& read) {
  constexpr double kMicro = 1e-6, kGiga = 1e9;
  if (const auto time = row.number("time_us"); time && *time > 0) return *time * kMicro;
  const auto bandwidth = row.number(columns.bus_bandwidth);
  const auto factor = bus_factor(read.collective, read.gpus);
  if (!bandwidth || *bandwidth <= 0 || !factor || !read.bytes) return std::nullopt;
  return *read.bytes * *factor / (*bandwidth * kGiga);
}

CollectiveRow read_row(const CsvRow& row, const Columns& columns) {
  CollectiveRow read;
  const std::string file = columns.file;
  read.place = fmt::format("{}:{}", file.substr(file.find('/') + 1), row.line());
  read.accelerator = row.text(columns.accelerator);
  read.collective = row.text("collective");
  read.library = row.text("library");
  read.algorithm = row.text(columns.algorithm);
  read.note = row.text(columns.note);
  read.source = row.text("source");
  for (const char* column : columns.network) {
    if (row.has(column)) read.network += (read.network.empty() ? "" : "; ") + row.text(column);
  }
  read.nodes = row.count(columns.nodes).value_or(0);
  read.gpus = row.count(columns.gpus).value_or(0);
  read.bytes = row.number(columns.bytes);
  read.time_s = time_of(row, columns, read);
  return read;
}

}  // namespace

const std::string& CollectiveRow::text(std::string_view column) const {
  static const std::string empty;
  if (column == "accelerator") return accelerator;
  if (column == "collective") return collective;
  if (column == "library") return library;
  if (column == "algorithm") return algorithm;
  if (column == "network") return network;
  if (column == "note") return note;
  return column == "source" ? source : empty;
}

std::vector<CollectiveRow> read_collective_rows(const std::filesystem::path& folder) {
  std::vector<CollectiveRow> rows;
  for (const Columns& columns : kTables) {
    const std::vector<std::string> required = {columns.accelerator, columns.nodes, columns.gpus, columns.bytes,
                                               "collective"};
    for (const CsvRow& row : read_csv_rows(folder / columns.file, required)) rows.push_back(read_row(row, columns));
  }
  return rows;
}

}  // namespace trainsim
