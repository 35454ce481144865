#include "simulator/input/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>
#include <utility>

#include "simulator/input/input_error.hpp"

namespace trainsim {
namespace {

constexpr double kLargestCount = 9e15;  // whole numbers are exact below

// Counts lines while it hands out characters.
class Characters {
 public:
  explicit Characters(std::istream& stream) : stream_(stream) {}
  bool get(char& c) {
    if (!stream_.get(c)) return false;
    if (c == '\n') ++line_;
    return true;
  }
  [[nodiscard]] bool next_is(char c) const { return stream_.peek() == c; }
  [[nodiscard]] int line() const { return line_; }

 private:
  std::istream& stream_;
  int line_ = 1;
};

// The characters of a quoted cell up to its closing quote, which is taken too.
std::string quoted_cell(Characters& characters) {
  std::string cell;
  for (char c = 0; characters.get(c);) {
    if (c != '"') {
      cell += c;
    } else if (characters.next_is('"')) {
      characters.get(c);
      cell += c;
    } else {
      break;
    }
  }
  return cell;
}

[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& what, const std::string& allowed) {
  throw InputError({{{path.string(), 0, 0}, "", what, allowed}});
}

void check_columns(const CsvRecord& header, const std::vector<std::string>& required, const std::string& file,
                   Diagnostics& diagnostics) {
  for (const std::string& column : required) {
    if (std::ranges::find(header.cells, column) != header.cells.end()) continue;
    diagnostics.add({{file, header.line, 1}, column, "no such column", "a header line that names it"});
  }
}

}  // namespace

const std::string& CsvRow::text(std::string_view column) const {
  static const std::string nothing;
  const auto cell = cells_.find(column);
  return cell == cells_.end() ? nothing : cell->second;
}

bool CsvRow::mentions(std::string_view column, std::string_view word) const {
  return text(column).find(word) != std::string::npos;
}

std::optional<double> CsvRow::number(std::string_view column) const {
  const std::string& cell = text(column);
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> CsvRow::count(std::string_view column) const {
  const auto value = number(column);
  if (!value || *value < 1.0 || *value > kLargestCount || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::vector<CsvRecord> read_csv(std::istream& stream) {
  Characters characters(stream);
  std::vector<CsvRecord> records;
  CsvRecord record{.cells = {}, .line = 1};
  std::string cell;
  const auto end_record = [&] {
    record.cells.push_back(std::exchange(cell, {}));
    records.push_back(std::exchange(record, {.cells = {}, .line = characters.line()}));
  };
  for (char c = 0; characters.get(c);) {
    if (c == '"' && cell.empty()) {
      cell = quoted_cell(characters);
    } else if (c == ',') {
      record.cells.push_back(std::exchange(cell, {}));
    } else if (c == '\n') {
      end_record();
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (!cell.empty() || !record.cells.empty()) end_record();
  return records;
}

std::vector<CsvRow> read_csv_rows(const std::filesystem::path& path, const std::vector<std::string>& required) {
  std::ifstream stream(path);
  if (!stream) refuse_file(path, "cannot be read", "a file of comma-separated values");
  const auto records = read_csv(stream);
  if (records.empty()) refuse_file(path, "is empty", "a header line and records");
  const CsvRecord& header = records.front();
  Diagnostics diagnostics;
  check_columns(header, required, path.string(), diagnostics);
  std::vector<CsvRow> rows;
  for (std::size_t r = 1; r < records.size(); ++r) {
    const auto& [written, line] = records[r];
    if (written.size() != header.cells.size()) {
      diagnostics.add({{path.string(), line, 1},
                       "",
                       "a record of " + std::to_string(written.size()) + " cells",
                       std::to_string(header.cells.size()) + ", as the header"});
      continue;
    }
    std::map<std::string, std::string, std::less<>> cells;
    for (std::size_t c = 0; c < written.size(); ++c) cells.emplace(header.cells[c], written[c]);
    rows.emplace_back(std::move(cells), line);
  }
  diagnostics.throw_if_any();
  return rows;
}

}  // namespace trainsim
