#include "simulator/cost/constants_page.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace trainsim {
namespace {

// Rewritten by `./dev golden`, as the kept results are.
TEST(ConstantsPage, GivesTheKeptResult) {
  const std::string path = std::string(TRAINSIM_SOURCE_DIR) + "/docs/constants.md";
  if (const char* mode = std::getenv("TRAINSIM_GOLDEN"); mode != nullptr && std::string(mode) == "update") {
    std::ofstream(path) << constants_page();
    return;
  }
  std::ifstream kept(path);
  std::ostringstream text;
  text << kept.rdbuf();
  EXPECT_EQ(text.str(), constants_page()) << path << " is not what the catalog says: ./dev golden";
}

}  // namespace
}  // namespace trainsim
