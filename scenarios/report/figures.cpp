#include "scenarios/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainsim {
namespace {

struct Scale {
  double unit;
  std::string_view name;
};

// The largest scale that `value` reaches, or the last one. Scales are in falling order.
template <std::size_t n>
std::string in_scale(double value, const std::array<Scale, n>& scales, std::string_view gap) {
  const auto scale =
      std::find_if(scales.begin(), scales.end() - 1, [&](const Scale& each) { return std::abs(value) >= each.unit; });
  return fmt::format("{}{}{}", significant(value / scale->unit), gap, scale->name);
}

std::size_t character_count(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string grouped(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  const std::string_view ending = count == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", grouped(count), noun, ending);
}

std::string significant(double value) {
  constexpr double kLargestGrouped = 9e15;  // whole numbers beyond are not exact
  if (std::abs(value) >= 1000.0 && std::abs(value) < kLargestGrouped) return grouped(std::llround(value));
  return fmt::format("{:.4g}", value);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string gibibytes(double bytes) { return fmt::format("{:.1f} GiB", bytes / 1073741824.0); }

std::string mebibytes(double bytes) { return grouped(std::llround(bytes / 1048576.0)) + " MiB"; }

std::string bandwidth(double bytes_per_s) {
  constexpr std::array<Scale, 4> kScales = {{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1.0, "B/s"}}};
  return in_scale(bytes_per_s, kScales, " ");
}

std::string scaled_count(double count) {
  constexpr std::array<Scale, 5> kScales = {{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}}};
  return in_scale(count, kScales, "");
}

std::string duration(double seconds) {
  constexpr double kMinute = 60.0, kHour = 3600.0, kDay = 86400.0;
  if (seconds >= 2.0 * kDay) return significant(seconds / kDay) + " days";
  if (seconds >= 2.0 * kHour) return significant(seconds / kHour) + " h";
  if (seconds >= 2.0 * kMinute) return significant(seconds / kMinute) + " min";
  constexpr std::array<Scale, 3> kShort = {{{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
  return in_scale(seconds, kShort, " ");
}

std::string runs(const std::vector<std::int64_t>& values) {
  std::string text;
  for (auto at = values.begin(); at != values.end();) {
    const auto end = std::find_if(at, values.end(), [&](std::int64_t value) { return value != *at; });
    const auto length = end - at;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", *at, length > 1 ? fmt::format(" x{}", length) : "");
    at = end;
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t length = character_count(word);
    if (column > 0 && column + 1 + length > width) {
      result += '\n';
      column = 0;
    }
    if (column == 0) {
      result.append(indent, ' ');
      column = indent;
    } else {
      result += ' ';
      ++column;
    }
    result += word;
    column += length;
  }
  return result + '\n';
}

std::string bullet(std::string_view text, std::size_t width) {
  constexpr std::size_t kIndent = 4;
  std::string lines = wrapped(text, width, kIndent);
  if (lines.size() > kIndent) lines[kIndent - 2] = '-';
  return lines;
}

}  // namespace trainsim
