#include "simulator/input/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <unordered_set>

#include "simulator/input/utf8.hpp"

namespace trainsim {

namespace {

// A file with more faults than this in its YAML is not worth reading on.
constexpr std::size_t kMaxFaults = 100;

// Thrown to leave the parser once reading on makes no sense; the fault is in the Diagnostics already.
struct StopReading {};

using Place = std::pair<int, int>;

// Finds lines, to turn the parser's marks (lines from 0, columns in bytes) into places.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      starts_.push_back(at + 1);
    }
  }

  [[nodiscard]] Place place(const YAML::Mark& mark) {
    if (mark.is_null()) return {1, 1};
    const std::string_view line = line_start(mark);
    const std::size_t bytes = line.size() - from(mark).size();
    // Marks mostly come in order: counting on from the last one keeps a long line linear.
    if (line.data() != counted_line_ || bytes < counted_bytes_) {
      counted_line_ = line.data();
      counted_bytes_ = counted_characters_ = 0;
    }
    counted_characters_ += utf8_length(line.substr(counted_bytes_, bytes - counted_bytes_));
    counted_bytes_ = bytes;
    return {mark.line + 1, static_cast<int>(counted_characters_) + 1};
  }

  // The text from the mark on.
  [[nodiscard]] std::string_view from(const YAML::Mark& mark) const {
    const std::string_view line = line_start(mark);
    return line.substr(std::min(line.size(), static_cast<std::size_t>(std::max(mark.column, 0))));
  }

 private:
  [[nodiscard]] std::string_view line_start(const YAML::Mark& mark) const {
    const std::size_t line = std::min(starts_.size() - 1, static_cast<std::size_t>(std::max(mark.line, 0)));
    return text_.substr(starts_[line]);
  }

  std::string_view text_;
  std::vector<std::size_t> starts_;
  const char* counted_line_ = nullptr;  // the line of the last place
  std::size_t counted_bytes_ = 0;       // of it, up to the last place
  std::size_t counted_characters_ = 0;
};

// Whether the quoted text that `text` starts with ends; the parser takes a line end at the end of the file for a quote.
// True for what is not in quotes (block scalars).
bool is_closed(std::string_view text) {
  const char quote = text.empty() ? ' ' : text.front();
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 == text.size() || text[at + 1] != quote) return true;
      ++at;
    }
  }
  return false;
}

// A list or map that is being read.
struct OpenNode {
  Node node;
  std::string key;  // of a map: the key whose value comes next
  Place key_place;
  bool has_key = false;
  bool drops_value = false;  // the key was refused
  std::unordered_set<std::string> seen;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(Lines& lines, const std::string& file, Diagnostics& diagnostics)
      : lines_(lines), file_(file), diagnostics_(diagnostics) {}

  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    fault(lines_.place(mark), "a second document, or text after the end of the first", "a file holds one document");
    throw StopReading{};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_properties(mark, "?", anchor);
    Node node;
    std::tie(node.line, node.column) = place_of_null(mark);
    attach(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    fault(lines_.place(mark), "aliases are refused", "write the value out");
    attach(node_at(mark, Node::Kind::null));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_properties(mark, tag, anchor);
    Node node = node_at(mark, Node::Kind::scalar);
    node.scalar = value;
    node.is_quoted = tag == "!";
    if (value.find('\0') != std::string::npos) fault({node.line, node.column}, "a NUL character");
    if (node.is_quoted && !is_closed(lines_.from(mark)))
      fault({node.line, node.column}, "a quote that is never closed");
    attach(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Node::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  [[nodiscard]] Node node_at(const YAML::Mark& mark, Node::Kind kind) {
    Node node;
    node.kind = kind;
    std::tie(node.line, node.column) = lines_.place(mark);
    return node;
  }

  // A value that is not there has no place of its own (the parser's is that of the next token): its key's is best.
  [[nodiscard]] Place place_of_null(const YAML::Mark& mark) {
    const std::string_view text = lines_.from(mark);
    const bool is_written =
        text.starts_with('~') || text.starts_with("null") || text.starts_with("Null") || text.starts_with("NULL");
    if (!is_written && !open_.empty() && open_.back().has_key) return open_.back().key_place;
    return lines_.place(mark);
  }

  void fault(Place place, std::string what, std::string allowed = "") {
    diagnostics_.add({location_of(place, file_), path(), std::move(what), std::move(allowed)});
    if (++faults_ < kMaxFaults) return;
    diagnostics_.add({location_of(place, file_), "", "too many faults, reading stops here", ""});
    throw StopReading{};
  }

  // The dotted path of the value that comes next.
  [[nodiscard]] std::string path() const {
    std::string result;
    for (const OpenNode& parent : open_) {
      const bool is_map = parent.node.kind == Node::Kind::map;
      if (is_map && !parent.has_key) break;
      if (!result.empty()) result += '.';
      result += is_map ? parent.key : std::to_string(parent.node.items.size());
    }
    return result;
  }

  void check_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) fault(lines_.place(mark), "anchors are refused", "write the value out where it is used");
    // The parser's own names for "no tag": "?" (plain) and "!" (quoted). A written "!" looks the same but for its text.
    const bool is_tagged = (tag != "?" && tag != "!") || lines_.from(mark).starts_with('!');
    if (is_tagged) fault(lines_.place(mark), "tags are refused", "quote a word to make it text");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    check_properties(mark, tag, anchor);
    if (open_.size() == kMaxNesting) {
      fault(lines_.place(mark), "nested too deeply", "at most " + std::to_string(kMaxNesting) + " levels");
      throw StopReading{};
    }
    open_.emplace_back();
    open_.back().node = node_at(mark, kind);
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    attach(std::move(node));
  }

  void attach(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == Node::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node);
    } else {
      parent.has_key = false;
      if (parent.drops_value) return;
      parent.node.entries.emplace_back(std::move(parent.key), std::move(node));
      parent.node.key_places.push_back(parent.key_place);
    }
  }

  void take_key(OpenNode& parent, const Node& node) {
    parent.key = node.scalar;
    parent.key_place = {node.line, node.column};
    parent.has_key = true;
    parent.drops_value = true;
    if (node.kind != Node::Kind::scalar) {
      parent.key = "?";
      fault(parent.key_place, std::string(kind_name(node)) + " as a key", "a key is one word");
    } else if (node.scalar == "<<" && !node.is_quoted) {
      fault(parent.key_place, "merge keys are refused", "write the entries out");
    } else if (!parent.seen.insert(node.scalar).second) {
      fault(parent.key_place, "duplicate key", "each key once in its map");
    } else {
      parent.drops_value = false;
    }
  }

  Lines& lines_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  Node root_;
  std::vector<OpenNode> open_;
  int documents_ = 0;
  std::size_t faults_ = 0;
};

}  // namespace

Node parse_yaml(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  Lines lines(text);
  TreeBuilder builder(lines, file, diagnostics);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const StopReading&) {
  } catch (const YAML::Exception& error) {
    diagnostics.add({location_of(lines.place(error.mark), file), "", "not valid YAML: " + error.msg, ""});
  }
  return builder.take_root();
}

}  // namespace trainsim
