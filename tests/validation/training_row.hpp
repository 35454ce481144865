// One published training run: a row of training_runs.csv, by column name.
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

class TrainingRow {
 public:
  explicit TrainingRow(std::map<std::string, std::string, std::less<>> cells) : cells_(std::move(cells)) {}

  // The cell as printed; empty where nothing was published or the file has no such column.
  [[nodiscard]] const std::string& text(std::string_view column) const;
  [[nodiscard]] bool has(std::string_view column) const { return !text(column).empty(); }
  [[nodiscard]] bool mentions(std::string_view column, std::string_view word) const;
  // nullopt where the cell is no number, or has more than a number in it.
  [[nodiscard]] std::optional<double> number(std::string_view column) const;
  // nullopt where the cell is no positive whole number; "48.0" is one.
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view column) const;

  [[nodiscard]] const std::string& id() const { return text("row_id"); }
  [[nodiscard]] const std::string& source() const { return text("source_id"); }
  [[nodiscard]] bool is_from(std::string_view source_prefix) const { return source().starts_with(source_prefix); }

 private:
  std::map<std::string, std::string, std::less<>> cells_;
};

// Records of comma-separated values (RFC 4180): quoted cells may hold commas, line breaks and doubled quotes.
std::vector<std::vector<std::string>> read_csv(std::istream& stream);

// Throws std::runtime_error when the file cannot be read, or a record has not the header's number of cells.
std::vector<TrainingRow> read_training_rows(const std::filesystem::path& path);

// Where the published runs lie beside the project.
std::filesystem::path training_runs_path();

}  // namespace trainsim
