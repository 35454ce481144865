// Comma-separated values with a header line (RFC 4180): quoted cells may hold commas, line breaks and doubled quotes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainsim {

// One record, by column name.
class CsvRow {
 public:
  explicit CsvRow(std::map<std::string, std::string, std::less<>> cells, int line = 0)
      : cells_(std::move(cells)), line_(line) {}

  // The cell as written; empty where it is, or where the file has no such column.
  [[nodiscard]] const std::string& text(std::string_view column) const;
  [[nodiscard]] bool has(std::string_view column) const { return !text(column).empty(); }
  [[nodiscard]] bool mentions(std::string_view column, std::string_view word) const;
  // nullopt where the cell is no finite number, or has more than a number in it.
  [[nodiscard]] std::optional<double> number(std::string_view column) const;
  // nullopt where the cell is no positive whole number; "48.0" is one.
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view column) const;
  // Line of the file on which the record begins, from 1.
  [[nodiscard]] int line() const { return line_; }

 private:
  std::map<std::string, std::string, std::less<>> cells_;
  int line_ = 0;
};

struct CsvRecord {
  std::vector<std::string> cells;
  int line = 0;  // on which it begins
};

std::vector<CsvRecord> read_csv(std::istream& stream);

// The records below the header. Throws InputError when the file cannot be read, is empty, lacks a column of `required`,
// or has records that do not have the header's number of cells (all of them at once).
std::vector<CsvRow> read_csv_rows(const std::filesystem::path& path, const std::vector<std::string>& required = {});

}  // namespace trainsim
