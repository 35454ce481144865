#include "topologies/unknown_name.hpp"

#include <algorithm>

namespace trainsim {

void report_unknown_name(const Node& node, const std::string& path, ReadContext& context,
                         const std::vector<std::string>& known, const std::vector<std::string>& later) {
  if (std::find(later.begin(), later.end(), node.scalar) != later.end()) {
    report(node, path, context, "'" + node.scalar + "' is not supported yet");
    return;
  }
  const std::string near = nearest(node.scalar, known);
  std::string allowed = near.empty() ? "one of" : "did you mean '" + near + "'? One of";
  for (const std::string& name : known) allowed += (&name == &known.front() ? " " : ", ") + name;
  report(node, path, context, "unknown name '" + node.scalar + "'", allowed);
}

}  // namespace trainsim
