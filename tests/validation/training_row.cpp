#include "tests/validation/training_row.hpp"

#include <fmt/format.h>
#include <charconv>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace trainsim {
namespace {

constexpr double kLargestCount = 9e15;  // whole numbers are exact below

// The characters of a quoted cell up to its closing quote, which is taken too.
std::string quoted_cell(std::istream& stream) {
  std::string cell;
  for (char c = 0; stream.get(c);) {
    if (c != '"') {
      cell += c;
    } else if (stream.peek() == '"') {
      cell += static_cast<char>(stream.get());
    } else {
      break;
    }
  }
  return cell;
}

}  // namespace

const std::string& TrainingRow::text(std::string_view column) const {
  static const std::string nothing;
  const auto cell = cells_.find(column);
  return cell == cells_.end() ? nothing : cell->second;
}

bool TrainingRow::mentions(std::string_view column, std::string_view word) const {
  return text(column).find(word) != std::string::npos;
}

std::optional<double> TrainingRow::number(std::string_view column) const {
  const std::string& cell = text(column);
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> TrainingRow::count(std::string_view column) const {
  const auto value = number(column);
  if (!value || *value < 1.0 || *value > kLargestCount || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::vector<std::vector<std::string>> read_csv(std::istream& stream) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
  std::string cell;
  const auto end_record = [&] {
    record.push_back(std::exchange(cell, {}));
    records.push_back(std::exchange(record, {}));
  };
  for (char c = 0; stream.get(c);) {
    if (c == '"' && cell.empty()) {
      cell = quoted_cell(stream);
    } else if (c == ',') {
      record.push_back(std::exchange(cell, {}));
    } else if (c == '\n') {
      end_record();
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (!cell.empty() || !record.empty()) end_record();
  return records;
}

std::vector<TrainingRow> read_training_rows(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(path.string() + ": cannot be read");
  const auto records = read_csv(stream);
  if (records.empty()) throw std::runtime_error(path.string() + ": is empty");
  const auto& header = records.front();
  std::vector<TrainingRow> rows;
  for (std::size_t r = 1; r < records.size(); ++r) {
    if (records[r].size() != header.size()) {
      throw std::runtime_error(fmt::format("{}: record {} has {} cells; the header has {}", path.string(), r + 1,
                                           records[r].size(), header.size()));
    }
    std::map<std::string, std::string, std::less<>> cells;
    for (std::size_t c = 0; c < header.size(); ++c) cells.emplace(header[c], records[r][c]);
    rows.emplace_back(std::move(cells));
  }
  return rows;
}

std::filesystem::path training_runs_path() {
  return std::filesystem::path(TRAINSIM_SOURCE_DIR) / "../shared/data/measured/training_runs.csv";
}

}  // namespace trainsim
