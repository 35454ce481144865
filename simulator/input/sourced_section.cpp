#include "simulator/input/sourced_section.hpp"

#include <algorithm>

namespace trainsim {
namespace {

const Node kNoSection;

const Node& section_of(MapReader& parent, std::string_view key) {
  parent.require(key);
  const Node* node = parent.node(key);
  return node != nullptr ? *node : kNoSection;
}

}  // namespace

SourcedSection::SourcedSection(MapReader& parent, std::string_view key)
    : written_(split_origins(section_of(parent, key), parent.path_of(key), parent.context(), {.is_required = true})),
      map_(written_.figures, parent.path_of(key), parent.context()) {}

const Node* SourcedSection::figure(std::string_view key, bool is_required) {
  if (is_required) map_.require(key);
  return map_.node(key);
}

double SourcedSection::number(std::string_view key, NumberRange range) {
  const Node* node = figure(key);
  return node == nullptr ? 0.0 : read_number(*node, path_of(key), context(), range).value_or(0.0);
}

double SourcedSection::quantity(std::string_view key, Unit unit) {
  const Node* node = figure(key);
  return node == nullptr ? 0.0 : read_quantity(*node, path_of(key), context(), unit).value_or(0.0);
}

bool SourcedSection::boolean(std::string_view key) { return choice(key, {"false", "true"}) == "true"; }

std::string SourcedSection::choice(std::string_view key, const std::vector<std::string>& allowed) {
  const Node* node = figure(key);
  return node == nullptr ? "" : read_choice(*node, path_of(key), context(), allowed).value_or("");
}

std::vector<std::string> SourcedSection::estimated() const {
  std::vector<std::string> paths;
  for (const std::string& key : written_.origins.estimated) paths.push_back(path_of(key));
  return paths;
}

std::vector<std::string> SourcedSection::sources() const {
  std::vector<std::string> texts;
  for (const Origins::Source& source : written_.origins.sources) {
    if (std::find(texts.begin(), texts.end(), source.text) == texts.end()) texts.push_back(source.text);
  }
  return texts;
}

std::vector<WrittenFigure> SourcedSection::written() const {
  const Origins& origins = written_.origins;
  std::vector<WrittenFigure> figures;
  for (const auto& [key, node] : written_.figures.entries) {
    WrittenFigure figure{path_of(key), node.kind == Node::Kind::scalar ? node.scalar : "{...}", ""};
    if (std::ranges::find(origins.estimated, key) == origins.estimated.end()) {
      for (const Origins::Source& source : origins.sources) {
        if (source.key.empty() || source.key == key) figure.source = source.text;  // the nearest comes last
      }
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace trainsim
