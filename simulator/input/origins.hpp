// Where figures come from: the one grammar of it, for catalogs and scenarios alike.
//
//   power: 700W                                    its origin is the nearest one of the maps around it
//   power: {value: 700W, source: a datasheet}      a figure with its own
//   pcie: {source: a datasheet, lanes: 16, ...}    the origin of all figures of a map that have no nearer one
//
// An origin is `source: TEXT`, or `estimated: true`, or `estimated: TEXT`, a guess and what it rests on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/input/reader.hpp"

namespace trainsim {

struct Origins {
  struct Source {
    std::string key;  // of the figure or map that it stands at, dotted; "" for the whole
    std::string text;
  };
  std::vector<Source> sources;         // in file order, an outer one before those inside it
  std::vector<std::string> estimated;  // dotted keys of figures, in file order

  // All sources as one text: "a datasheet; pcie: another".
  [[nodiscard]] std::string source_text() const;
};

struct SourcedFigures {
  Node figures;  // what was written, without its origins: for readers that care about figures only
  Origins origins;
};

struct OriginRules {
  bool is_required = false;     // a figure without any origin is a fault
  std::string_view apart = {};  // a key of the outermost map that is left as written, because it keeps its own origins
};

// Splits a map into its figures and their origins. Faults go to the context, at `path` and below.
SourcedFigures split_origins(const Node& written, const std::string& path, ReadContext& context,
                             OriginRules rules = {});

// What something rests on that was `source` and `estimated` until `written` changed it: a figure written anew has its
// new origin, and a source of the whole replaces all sources.
void update_origins(const SourcedFigures& written, std::string& source, std::vector<std::string>& estimated);

}  // namespace trainsim
