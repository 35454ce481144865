#include "simulator/cost/sourced_section.hpp"

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
    : SourcedSection(section_of(parent, key), parent.path_of(key), parent.context()) {}

SourcedSection::SourcedSection(const Node& node, std::string path, ReadContext& context)
    : map_(node, std::move(path), context) {
  read_own_origin();
}

void SourcedSection::read_own_origin() {
  const std::optional<std::string> source = map_.text("source");
  is_estimated_ = map_.boolean("estimated").value_or(false);
  has_origin_ = source.has_value() || is_estimated_;
  if (source && is_estimated_) map_.fault("estimated", "has a source too", "one of source and estimated");
  if (source) note_source(*source);
}

void SourcedSection::note_source(const std::string& source) {
  if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) sources_.push_back(source);
}

const Node* SourcedSection::figure(std::string_view key, bool is_required) {
  if (is_required) map_.require(key);
  const Node* node = map_.node(key);
  if (node == nullptr) return nullptr;
  if (node->kind != Node::Kind::map) {
    if (!has_origin_) map_.fault(key, "has no origin", "source or estimated: true, of its own or of its section");
    if (is_estimated_) estimated_.push_back(map_.path_of(key));
    return node;
  }
  MapReader own(*node, map_.path_of(key), map_.context());
  own.require("value");
  const Node* value = own.node("value");
  const std::optional<std::string> source = own.text("source");
  const bool is_estimate = own.boolean("estimated").value_or(false);
  if (source.has_value() == is_estimate) own.fault("value", "needs an origin", "one of source and estimated: true");
  if (is_estimate) estimated_.push_back(map_.path_of(key));
  if (source) note_source(*source);
  own.finish();
  return value;
}

double SourcedSection::number(std::string_view key, NumberRange range) {
  const Node* node = figure(key);
  return node == nullptr ? 0.0 : read_number(*node, path_of(key), context(), range).value_or(0.0);
}

double SourcedSection::quantity(std::string_view key, Unit unit) {
  const Node* node = figure(key);
  return node == nullptr ? 0.0 : read_quantity(*node, path_of(key), context(), unit).value_or(0.0);
}

std::int64_t SourcedSection::integer(std::string_view key, IntegerRange range) {
  const Node* node = figure(key);
  return node == nullptr ? 0 : read_integer(*node, path_of(key), context(), range).value_or(0);
}

bool SourcedSection::boolean(std::string_view key) { return choice(key, {"false", "true"}) == "true"; }

std::string SourcedSection::choice(std::string_view key, const std::vector<std::string>& allowed) {
  const Node* node = figure(key);
  return node == nullptr ? "" : read_choice(*node, path_of(key), context(), allowed).value_or("");
}

}  // namespace trainsim
