#include "simulator/input/reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "simulator/input/utf8.hpp"

namespace trainsim {

namespace {

// Beyond this many unknown keys of one map, the rest is counted, not listed.
constexpr std::size_t kMaxUnknownKeys = 20;
constexpr std::size_t kMaxQuotedBytes = 60;

// A user's text inside a message, cut to a readable length at a character's end.
std::string shortened(const std::string& text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + std::max<std::size_t>(1, utf8_sequence_length(text, end));
    if (next > kMaxQuotedBytes) return text.substr(0, end) + "…";
    end = next;
  }
  return text;
}

std::string in_quotes(const std::string& text) { return "'" + shortened(text) + "'"; }

std::string list_of(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : " | ") + word;
  return result;
}

// Shortest exact text.
std::string plain(double value) {
  char buffer[32];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, written.ptr};
}

// "at least 1", "above 0 and at most 1", …; empty where everything is allowed. `write` gives a bound's text.
template <class Write>
std::string range_text(const NumberRange& range, Write write) {
  const NumberRange unbounded;
  std::string low = (range.low_is_open ? "above " : "at least ") + write(range.low);
  return range.high < unbounded.high ? low + " and at most " + write(range.high) : low;
}

bool is_within(double value, const NumberRange& range) {
  return value <= range.high && (range.low_is_open ? value > range.low : value >= range.low);
}

// Reports a value that is not one word (a list, a map, nothing). `due` says what should be there: "a whole number", ….
bool is_scalar(const Node& node, const std::string& path, ReadContext& context, const std::string& due) {
  if (node.kind == Node::Kind::scalar) return true;
  report(node, path, context, std::string(kind_name(node)) + " where " + due + " is due");
  return false;
}

std::optional<double> checked(const Node& node, const std::string& path, ReadContext& context, double value,
                              const NumberRange& range) {
  if (is_within(value, range)) return value;
  report(node, path, context, in_quotes(node.scalar) + " is out of range", range_text(range, plain));
  return std::nullopt;
}

std::optional<double> read_count(const Node& node, const std::string& path, ReadContext& context,
                                 const NumberRange& range) {
  const std::string due = "a count such as 300e9, 300B or 15T";
  if (!is_scalar(node, path, context, due)) return std::nullopt;
  const ParsedQuantity parsed = parse_number(node.scalar, true);
  if (!parsed.error.empty()) {
    report(node, path, context, in_quotes(node.scalar) + ": " + parsed.error, due);
    return std::nullopt;
  }
  if (parsed.value != std::floor(parsed.value)) {
    report(node, path, context, in_quotes(node.scalar) + " is not whole", due);
    return std::nullopt;
  }
  return checked(node, path, context, parsed.value, range);
}

std::optional<bool> read_boolean(const Node& node, const std::string& path, ReadContext& context) {
  if (!is_scalar(node, path, context, "true or false")) return std::nullopt;
  if (!node.is_quoted && node.scalar == "true") return true;
  if (!node.is_quoted && node.scalar == "false") return false;
  report(node, path, context, in_quotes(node.scalar) + " where true or false is due", "true | false, without quotes");
  return std::nullopt;
}

}  // namespace

void report(const Node& node, const std::string& path, ReadContext& context, std::string what, std::string allowed) {
  context.diagnostics.add({location_of(node, context.file), path, std::move(what), std::move(allowed)});
}

std::optional<std::int64_t> read_integer(const Node& node, const std::string& path, ReadContext& context,
                                         IntegerRange range) {
  const std::string due = "a whole number";
  if (!is_scalar(node, path, context, due)) return std::nullopt;
  const std::string bounds = range.high == INT64_MAX ? "at least " + std::to_string(range.low)
                                                     : std::to_string(range.low) + " to " + std::to_string(range.high);
  const std::string allowed = due + ", " + bounds;
  const ParsedQuantity parsed = parse_number(node.scalar);
  if (node.is_quoted || !parsed.error.empty()) {
    report(node, path, context, in_quotes(node.scalar) + ": " + (node.is_quoted ? "text in quotes" : parsed.error),
           allowed);
    return std::nullopt;
  }
  std::string_view digits = node.scalar;
  if (digits.front() == '+') digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ptr != digits.data() + digits.size()) {
    report(node, path, context, in_quotes(node.scalar) + " is not written as a whole number", allowed);
    return std::nullopt;
  }
  if (read.ec != std::errc() || value < range.low || value > range.high) {
    report(node, path, context, in_quotes(node.scalar) + " is out of range", allowed);
    return std::nullopt;
  }
  return value;
}

std::optional<double> read_number(const Node& node, const std::string& path, ReadContext& context, NumberRange range) {
  if (!is_scalar(node, path, context, "a number")) return std::nullopt;
  const ParsedQuantity parsed = parse_number(node.scalar);
  if (node.is_quoted || !parsed.error.empty()) {
    report(node, path, context, in_quotes(node.scalar) + ": " + (node.is_quoted ? "text in quotes" : parsed.error),
           "a plain number");
    return std::nullopt;
  }
  return checked(node, path, context, parsed.value, range);
}

std::optional<double> read_quantity(const Node& node, const std::string& path, ReadContext& context, Unit unit,
                                    NumberRange range) {
  const std::string due(example_of(unit));
  if (!is_scalar(node, path, context, due)) return std::nullopt;
  const ParsedQuantity parsed = parse_quantity(node.scalar, unit);
  if (!parsed.error.empty()) {
    report(node, path, context, in_quotes(node.scalar) + ": " + parsed.error, due);
    return std::nullopt;
  }
  if (is_within(parsed.value, range)) return parsed.value;
  const auto write = [unit](double bound) { return format_quantity(bound, unit); };
  report(node, path, context, in_quotes(node.scalar) + " is out of range", range_text(range, write));
  return std::nullopt;
}

std::optional<std::string> read_text(const Node& node, const std::string& path, ReadContext& context) {
  if (!is_scalar(node, path, context, "text")) return std::nullopt;
  return node.scalar;
}

std::optional<std::string> read_choice(const Node& node, const std::string& path, ReadContext& context,
                                       const std::vector<std::string>& allowed) {
  if (!is_scalar(node, path, context, "one of " + list_of(allowed))) return std::nullopt;
  if (std::find(allowed.begin(), allowed.end(), node.scalar) != allowed.end()) return node.scalar;
  const std::string near = nearest(node.scalar, allowed);
  report(node, path, context,
         "unknown value " + in_quotes(node.scalar) + (near.empty() ? "" : ", did you mean '" + near + "'?"),
         "allowed: " + list_of(allowed));
  return std::nullopt;
}

MapReader::MapReader(const Node& node, std::string path, ReadContext& context)
    : node_(node), path_(std::move(path)), context_(context) {
  if (is_map()) return;
  report(node_, path_, context_, std::string(kind_name(node_)) + " where a map of keys is due");
}

std::string MapReader::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
}

bool MapReader::has(std::string_view key) const { return node_.find(key) != nullptr; }

const Node* MapReader::node(std::string_view key) {
  known_.emplace(key);
  return node_.find(key);
}

std::optional<std::string> MapReader::text(std::string_view key) {
  const Node* value = node(key);
  return value == nullptr ? std::nullopt : read_text(*value, path_of(key), context_);
}

std::optional<bool> MapReader::boolean(std::string_view key) {
  const Node* value = node(key);
  return value == nullptr ? std::nullopt : read_boolean(*value, path_of(key), context_);
}

std::optional<std::int64_t> MapReader::integer(std::string_view key, IntegerRange range) {
  const Node* value = node(key);
  return value == nullptr ? std::nullopt : read_integer(*value, path_of(key), context_, range);
}

std::optional<double> MapReader::number(std::string_view key, NumberRange range) {
  const Node* value = node(key);
  return value == nullptr ? std::nullopt : read_number(*value, path_of(key), context_, range);
}

std::optional<double> MapReader::count(std::string_view key, NumberRange range) {
  const Node* value = node(key);
  return value == nullptr ? std::nullopt : read_count(*value, path_of(key), context_, range);
}

std::optional<double> MapReader::quantity(std::string_view key, Unit unit, NumberRange range) {
  const Node* value = node(key);
  return value == nullptr ? std::nullopt : read_quantity(*value, path_of(key), context_, unit, range);
}

std::optional<std::string> MapReader::choice(std::string_view key, const std::vector<std::string>& allowed) {
  const Node* value = node(key);
  return value == nullptr ? std::nullopt : read_choice(*value, path_of(key), context_, allowed);
}

void MapReader::require(std::string_view key) {
  known_.emplace(key);
  // What is no map was reported as such; each of its keys is missing too, but that is no news.
  if (is_map() && !has(key)) fault(key, "missing", "this key is required");
}

void MapReader::refuse_later(std::string_view key) {
  if (node(key) != nullptr) fault(key, "not supported yet");
}

void MapReader::fault(std::string_view key, std::string what, std::string allowed) {
  const Node* value = node_.find(key);
  report(value == nullptr ? node_ : *value, path_of(key), context_, std::move(what), std::move(allowed));
}

void MapReader::finish() {
  const std::vector<std::string> known(known_.begin(), known_.end());
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < node_.entries.size(); ++i) {
    const std::string& key = node_.entries[i].first;
    if (known_.contains(key)) continue;
    const Location place = location_of(node_.key_places[i], context_.file);
    if (++unknown > kMaxUnknownKeys) {
      context_.diagnostics.add({place, path_, "more unknown keys follow", ""});
      return;
    }
    const std::string near = nearest(key, known);
    context_.diagnostics.add({place, path_of(shortened(key)), "unknown key",
                              near.empty() ? "known keys: " + list_of(known) : "did you mean '" + near + "'?"});
  }
}

}  // namespace trainsim
