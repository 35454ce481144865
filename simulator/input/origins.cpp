#include "simulator/input/origins.hpp"

#include <utility>
#include <vector>

namespace trainsim {
namespace {

constexpr std::string_view kValue = "value";
constexpr std::string_view kSource = "source";
constexpr std::string_view kEstimated = "estimated";

enum class Origin { unknown, source, estimate };

std::string joined(const std::string& path, std::string_view key) {
  if (path.empty() || key.empty()) return path + std::string(key);
  return path + '.' + std::string(key);
}

class Splitter {
 public:
  Splitter(const std::string& path, ReadContext& context, OriginRules rules, Origins& origins)
      : path_(path), context_(context), rules_(rules), origins_(origins) {}

  Node section(const Node& written, const std::string& key, Origin around) {
    const Origin own = origin_at(written, key);
    const Origin nearest_origin = own == Origin::unknown ? around : own;
    Node plain;
    plain.kind = written.kind;
    plain.line = written.line;
    plain.column = written.column;
    for (std::size_t i = 0; i < written.entries.size(); ++i) {
      const auto& [name, value] = written.entries[i];
      if (name == kSource || name == kEstimated) continue;
      const bool is_apart = key.empty() && name == rules_.apart;
      plain.entries.emplace_back(name, is_apart ? value : inside(value, joined(key, name), nearest_origin));
      plain.key_places.push_back(written.key_places[i]);
    }
    return plain;
  }

 private:
  Node inside(const Node& written, const std::string& key, Origin around) {
    if (written.kind != Node::Kind::map) return figure(written, key, around);
    if (written.find(kValue) == nullptr) return section(written, key, around);
    return sourced_figure(written, key);
  }

  Node sourced_figure(const Node& written, const std::string& key) {
    MapReader own(written, joined(path_, key), context_);
    for (const std::string_view known : {kValue, kSource, kEstimated}) own.node(known);
    own.finish();
    const Origin origin = origin_at(written, key);
    if (origin == Origin::unknown) own.fault(kValue, "needs an origin", "source or estimated: true");
    if (origin == Origin::estimate) origins_.estimated.push_back(key);
    return *written.find(kValue);
  }

  Node figure(const Node& written, const std::string& key, Origin around) {
    if (around == Origin::unknown && rules_.is_required) {
      report(written, joined(path_, key), context_, "has no origin",
             "source or estimated: true, of its own or of its section");
    }
    if (around == Origin::estimate) origins_.estimated.push_back(key);
    return written;
  }

  // What the map itself says; notes the text.
  Origin origin_at(const Node& map, const std::string& key) {
    const Node* source = map.find(kSource);
    const Node* estimated = map.find(kEstimated);
    const bool is_estimate = estimated != nullptr && !is_word(*estimated, "false");
    if (source != nullptr && is_estimate) {
      report(*estimated, joined(path_, joined(key, kEstimated)), context_, "is given beside source",
             "one origin: source or estimated");
    }
    if (source != nullptr) {
      note_text(*source, key, kSource);
      return Origin::source;
    }
    if (!is_estimate) return Origin::unknown;
    if (!is_word(*estimated, "true")) note_text(*estimated, key, kEstimated);
    return Origin::estimate;
  }

  static bool is_word(const Node& node, std::string_view word) { return !node.is_quoted && node.scalar == word; }

  void note_text(const Node& node, const std::string& key, std::string_view origin_key) {
    auto text = read_text(node, joined(path_, joined(key, origin_key)), context_);
    if (text) origins_.sources.push_back({key, *std::move(text)});
  }

  const std::string& path_;
  ReadContext& context_;
  OriginRules rules_;
  Origins& origins_;
};

bool has_figure(const Node& figures, std::string_view key) {
  const std::size_t dot = key.find('.');
  const Node* part = figures.find(key.substr(0, dot));
  if (part == nullptr || dot == std::string_view::npos) return part != nullptr;
  return has_figure(*part, key.substr(dot + 1));
}

}  // namespace

std::string Origins::source_text() const {
  std::string result;
  for (const Source& source : sources) {
    if (!result.empty()) result += "; ";
    if (!source.key.empty()) result += source.key + ": ";
    result += source.text;
  }
  return result;
}

SourcedFigures split_origins(const Node& written, const std::string& path, ReadContext& context, OriginRules rules) {
  if (written.kind != Node::Kind::map) return {written, {}};
  SourcedFigures result;
  result.figures = Splitter(path, context, rules, result.origins).section(written, "", Origin::unknown);
  return result;
}

void update_origins(const SourcedFigures& written, std::string& source, std::vector<std::string>& estimated) {
  const Origins& own = written.origins;
  if (!own.sources.empty()) {
    const bool is_of_the_whole = own.sources.front().key.empty();
    source = (is_of_the_whole || source.empty() ? "" : source + "; ") + own.source_text();
  }
  std::erase_if(estimated, [&](const std::string& key) { return has_figure(written.figures, key); });
  estimated.insert(estimated.end(), own.estimated.begin(), own.estimated.end());
}

}  // namespace trainsim
