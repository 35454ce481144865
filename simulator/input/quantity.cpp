#include "simulator/input/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

#include "simulator/input/input_error.hpp"

namespace trainsim {

namespace {

// One way to write a quantity: value = number x 10^exponent x factor. Powers of ten go into the number's own exponent
// before it is rounded, so 1.1GB is the double nearest to 1.1e9.
struct Suffix {
  std::string text;
  Unit unit = Unit::bytes;
  int exponent = 0;
  double factor = 1.0;
  bool is_for_output = true;  // format_quantity may choose it
};

struct Prefix {
  std::string_view text;
  int exponent;
  double factor;
  bool is_for_output;
};

constexpr std::array<Prefix, 11> kPrefixes = {{{"", 0, 1.0, true},
                                               {"k", 3, 1.0, true},
                                               {"K", 3, 1.0, false},
                                               {"Ki", 0, 1024.0, true},
                                               {"M", 6, 1.0, true},
                                               {"Mi", 0, 1048576.0, true},
                                               {"G", 9, 1.0, true},
                                               {"Gi", 0, 1073741824.0, true},
                                               {"T", 12, 1.0, true},
                                               {"Ti", 0, 1099511627776.0, true},
                                               {"P", 15, 1.0, true}}};

void add_data_suffixes(std::vector<Suffix>& table) {
  for (const Prefix& prefix : kPrefixes) {
    const std::string start(prefix.text);
    table.push_back({start + "B", Unit::bytes, prefix.exponent, prefix.factor, prefix.is_for_output});
    table.push_back({start + "b", Unit::bytes, prefix.exponent, prefix.factor / 8, false});
    table.push_back({start + "B/s", Unit::bytes_per_s, prefix.exponent, prefix.factor, prefix.is_for_output});
    table.push_back({start + "b/s", Unit::bytes_per_s, prefix.exponent, prefix.factor / 8, false});
    if (prefix.factor == 1.0) {
      table.push_back({start + "FLOP/s", Unit::flops_per_s, prefix.exponent, 1.0, prefix.is_for_output});
    }
  }
}

std::vector<Suffix> build_suffixes() {
  std::vector<Suffix> table;
  add_data_suffixes(table);
  table.insert(table.end(), {{"ns", Unit::seconds, -9},
                             {"us", Unit::seconds, -6},
                             {"ms", Unit::seconds, -3},
                             {"s", Unit::seconds},
                             {"min", Unit::seconds, 0, 60.0},
                             {"h", Unit::seconds, 0, 3600.0},
                             {"d", Unit::seconds, 0, 86400.0},
                             {"W", Unit::watts},
                             {"kW", Unit::watts, 3},
                             {"MW", Unit::watts, 6},
                             {"C", Unit::celsius},
                             {"USD", Unit::usd},
                             {"kUSD", Unit::usd, 3},
                             {"MUSD", Unit::usd, 6},
                             {"USD/kWh", Unit::usd_per_kwh}});
  return table;
}

const std::vector<Suffix>& suffixes() {
  static const std::vector<Suffix> table = build_suffixes();
  return table;
}

std::string_view noun(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "an amount of data";
    case Unit::bytes_per_s:
      return "a bandwidth";
    case Unit::seconds:
      return "a time";
    case Unit::flops_per_s:
      return "a compute rate";
    case Unit::watts:
      return "a power";
    case Unit::celsius:
      return "a temperature";
    case Unit::usd:
      return "a price";
    case Unit::usd_per_kwh:
      return "a price of energy";
  }
  return "";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// What a number looks like at the start of a text: [sign] digits [. digits] [e [sign] digits].
struct NumberText {
  std::size_t length = 0;  // 0: no number here
  std::size_t mantissa = 0;
  bool has_leading_zero = false;
};

NumberText scan_number(std::string_view text) {
  const std::size_t start = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole_end = skip_digits(text, start);
  std::size_t at = whole_end;
  if (at < text.size() && text[at] == '.') at = skip_digits(text, at + 1);
  const std::size_t point = at > whole_end ? 1 : 0;
  if (at - start == point) return {};
  NumberText result{at, at, whole_end - start > 1 && text[start] == '0'};
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t digits = at + 1;
    if (digits < text.size() && (text[digits] == '-' || text[digits] == '+')) ++digits;
    const std::size_t end = skip_digits(text, digits);
    if (end > digits) result.length = end;
  }
  return result;
}

// The double nearest to the number's text times 10^exponent. REQUIRES: scan_number accepted all of `text`.
ParsedQuantity to_double(std::string_view text, const NumberText& number, int exponent) {
  if (number.has_leading_zero) return {0.0, "a number with leading zeros"};
  int own_exponent = 0;
  if (number.length > number.mantissa) {
    std::string_view digits = text.substr(number.mantissa + 1, number.length - number.mantissa - 1);
    if (digits.front() == '+') digits.remove_prefix(1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), own_exponent);
    // Any exponent this far out is refused below, whatever it is exactly.
    const int limit = 100000;
    if (read.ec != std::errc()) own_exponent = digits.front() == '-' ? -limit : limit;
    own_exponent = std::clamp(own_exponent, -limit, limit);
  }
  std::string_view mantissa = text.substr(0, number.mantissa);
  if (mantissa.front() == '+') mantissa.remove_prefix(1);
  const std::string whole = std::string(mantissa) + 'e' + std::to_string(own_exponent + exponent);
  double value = 0.0;
  const auto read = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (read.ec != std::errc() || !std::isfinite(value)) return {0.0, "a number too large or too small to represent"};
  return {value, ""};
}

bool is_not_finite(std::string_view text) {
  while (!text.empty() && (text.front() == '-' || text.front() == '+' || text.front() == '.')) text.remove_prefix(1);
  std::string lower;
  for (const char c : text.substr(0, 9)) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

std::string not_a_number(std::string_view text) {
  if (is_not_finite(text)) return "NaN and infinities are refused";
  if (text.starts_with("0x") || text.starts_with("0X") || text.starts_with("0o") || text.starts_with("0b")) {
    return "hexadecimal, octal and binary numbers are refused";
  }
  return text.find('_') != std::string_view::npos ? "not a number (underscores are refused)" : "not a number";
}

const Suffix* find_suffix(std::string_view text) {
  for (const Suffix& suffix : suffixes()) {
    if (suffix.text == text) return &suffix;
  }
  return nullptr;
}

std::string unknown_unit(std::string_view text, Unit unit) {
  if (text.front() == ' ') return "a space between number and unit";
  std::vector<std::string> known;
  for (const Suffix& suffix : suffixes()) {
    if (suffix.unit == unit) known.push_back(suffix.text);
  }
  std::string result = "unknown unit '" + std::string(text.substr(0, 24)) + "'";
  const std::string near = nearest(text, known);
  return near.empty() ? result : result + ", did you mean '" + near + "'?";
}

// Digits and decimal exponent of the shortest text that reads back as the same double: 0.d1d2d3… x 10^point.
struct Decimal {
  std::string digits;
  int point = 0;
};

Decimal shortest_decimal(double value) {
  std::array<char, 32> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  std::string_view exponent = text.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  Decimal result;
  for (const char c : text.substr(0, e)) {
    if (is_digit(c)) result.digits += c;
  }
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.point);
  ++result.point;
  return result;
}

std::string positional(const Decimal& decimal) {
  const auto size = static_cast<int>(decimal.digits.size());
  if (decimal.point <= 0) return "0." + std::string(static_cast<std::size_t>(-decimal.point), '0') + decimal.digits;
  if (decimal.point >= size) return decimal.digits + std::string(static_cast<std::size_t>(decimal.point - size), '0');
  const auto split = static_cast<std::size_t>(decimal.point);
  return decimal.digits.substr(0, split) + '.' + decimal.digits.substr(split);
}

// Beyond this many digits before the point, or zeros after it, an exponent reads better.
constexpr int kPositionalDigits = 18;

// The value in the suffix's unit, or an empty text when that does not read well or back.
std::string written_with(const Suffix& suffix, double magnitude) {
  const bool is_base = suffix.exponent == 0 && suffix.factor == 1.0;
  if (magnitude == 0.0 && !is_base) return {};
  Decimal decimal = shortest_decimal(magnitude / suffix.factor);
  decimal.point -= suffix.exponent;
  const bool is_readable = decimal.point >= 1 && decimal.point <= kPositionalDigits;
  if (!is_readable && !is_base) return {};
  std::string text = decimal.point > kPositionalDigits || decimal.point < -4
                         ? decimal.digits.substr(0, 1) + (decimal.digits.size() > 1 ? "." : "") +
                               decimal.digits.substr(1) + 'e' + std::to_string(decimal.point - 1)
                         : positional(decimal);
  return text + suffix.text;
}

}  // namespace

std::string_view example_of(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "an amount of data such as 80GB or 64MiB";
    case Unit::bytes_per_s:
      return "a bandwidth such as 400Gb/s or 900GB/s";
    case Unit::seconds:
      return "a time such as 5us, 0.8s or 3.5h";
    case Unit::flops_per_s:
      return "a compute rate such as 989TFLOP/s";
    case Unit::watts:
      return "a power such as 700W or 10.2kW";
    case Unit::celsius:
      return "a temperature such as 32C";
    case Unit::usd:
      return "a price such as 2.5USD or 250kUSD";
    case Unit::usd_per_kwh:
      return "a price of energy such as 0.12USD/kWh";
  }
  return "";
}

ParsedQuantity parse_quantity(std::string_view text, Unit unit) {
  const NumberText number = scan_number(text);
  if (number.length == 0) return {0.0, not_a_number(text)};
  const std::string_view rest = text.substr(number.length);
  if (rest.empty()) {
    const ParsedQuantity plain = to_double(text, number, 0);
    return {0.0, plain.error.empty() ? "a number without a unit" : plain.error};
  }
  const Suffix* suffix = find_suffix(rest);
  if (suffix == nullptr) {
    const std::string refused = not_a_number(text);
    return {0.0, refused == "not a number" ? unknown_unit(rest, unit) : refused};
  }
  if (suffix->unit != unit)
    return {0.0, std::string(noun(suffix->unit)) + " where " + std::string(noun(unit)) + " is due"};
  ParsedQuantity result = to_double(text, number, suffix->exponent);
  result.value *= suffix->factor;
  if (!std::isfinite(result.value)) return {0.0, "a number too large or too small to represent"};
  return result;
}

ParsedQuantity parse_number(std::string_view text, bool count_suffixes) {
  const NumberText number = scan_number(text);
  const std::string_view rest = text.substr(number.length);
  if (number.length == 0) return {0.0, not_a_number(text)};
  int exponent = 0;
  if (count_suffixes && rest.size() == 1) {
    switch (rest.front()) {
      case 'k':
      case 'K':
        exponent = 3;
        break;
      case 'M':
        exponent = 6;
        break;
      case 'B':
        exponent = 9;
        break;
      case 'T':
        exponent = 12;
        break;
      default:
        return {0.0, "unknown suffix '" + std::string(rest) + "'"};
    }
  } else if (!rest.empty()) {
    if (find_suffix(rest) != nullptr) return {0.0, "a quantity with a unit where a plain number is due"};
    return {0.0, not_a_number(text)};
  }
  return to_double(text, number, exponent);
}

std::string format_quantity(double value, Unit unit) {
  std::string best;
  for (const Suffix& suffix : suffixes()) {
    if (suffix.unit != unit || !suffix.is_for_output) continue;
    std::string text = written_with(suffix, std::abs(value));
    // Larger units come later in the table and win at equal length.
    if (text.empty() || (!best.empty() && text.size() > best.size())) continue;
    const ParsedQuantity back = parse_quantity(text, unit);
    if (back.error.empty() && back.value == std::abs(value)) best = std::move(text);
  }
  return (std::signbit(value) ? "-" : "") + best;
}

}  // namespace trainsim
