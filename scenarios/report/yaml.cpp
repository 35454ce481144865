#include "scenarios/report/yaml.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace trainsim {
namespace {

using Json = nlohmann::ordered_json;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// bf16, hgx-h100, catalog/ranks.txt
bool is_word(std::string_view text) {
  return !text.empty() && (is_letter(text.front()) || text.front() == '_') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter(c) || is_digit(c) || std::string_view("_./+-").find(c) != std::string_view::npos;
         });
}

// 400GB/s, 1.5us, 2.5e-05s: digits, then a unit. 1e5 is a number and 0x1F may be one.
bool is_quantity(std::string_view text) {
  const auto skip = [&text](auto accepts) {
    const auto count = std::find_if_not(text.begin(), text.end(), accepts) - text.begin();
    text.remove_prefix(static_cast<std::size_t>(count));
    return count > 0;
  };
  if (text.size() > 1 && text.front() == '0' && is_letter(text[1])) return false;
  if (!skip(is_digit)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!skip(is_digit)) return false;
  }
  if (text.size() > 2 && text.front() == 'e' && (text[1] == '-' || text[1] == '+')) {
    text.remove_prefix(2);
    if (!skip(is_digit)) return false;
  }
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || c == '/'; });
}

// Whether the text stays a string without quotes.
bool is_plain(const std::string& text) {
  static constexpr std::array<std::string_view, 10> kReserved = {"true", "false", "null", "yes", "no",
                                                                 "on",   "off",   "nan",  "y",   "n"};
  std::string lower = text.substr(0, 8);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end()) return false;
  return is_word(text) || is_quantity(text);
}

std::string scalar(const Json& json) {
  if (json.is_string() && is_plain(json.get_ref<const std::string&>())) return json.get<std::string>();
  return json.dump();  // a JSON string is a YAML double-quoted one
}

std::string key_text(const std::string& key) { return is_plain(key) ? key : Json(key).dump(); }

bool is_flow(const Json& json) {
  if (!json.is_structured() || json.empty()) return true;
  return json.is_array() && std::all_of(json.begin(), json.end(), is_flow);
}

std::string flow(const Json& json) {
  if (!json.is_array()) return json.is_object() ? "{}" : scalar(json);
  std::string text = "[";
  for (const Json& item : json) {
    if (text.size() > 1) text += ", ";
    text += flow(item);
  }
  return text + "]";
}

void write_block(const Json& json, std::size_t indent, std::string& text);

// What follows "key:" or "-": on the same line when it is short, below it otherwise.
void write_value(const Json& value, std::size_t indent, std::string& text) {
  if (is_flow(value)) {
    text += " " + flow(value) + "\n";
  } else {
    text += "\n";
    write_block(value, indent + 2, text);
  }
}

void write_block(const Json& json, std::size_t indent, std::string& text) {
  for (const auto& [key, value] : json.items()) {
    text.append(indent, ' ');
    text += json.is_object() ? key_text(key) + ":" : "-";
    write_value(value, indent, text);
  }
}

}  // namespace

std::string to_yaml(const Json& json) {
  if (is_flow(json)) return flow(json) + "\n";
  std::string text;
  write_block(json, 0, text);
  return text;
}

}  // namespace trainsim
