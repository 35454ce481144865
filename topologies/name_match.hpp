// Globs over the names of links and devices, as conditions.links writes them.
#pragma once

#include <string_view>

namespace trainsim {

// Whether the whole `name` fits `glob`: `*` stands for any run of characters (also none), `?` for any one character;
// everything else stands for itself.
[[nodiscard]] bool matches(std::string_view glob, std::string_view name);

}  // namespace trainsim
