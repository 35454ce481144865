#include "simulator/base/embedded_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainsim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr EmbeddedFile kFiles[] = {{"catalog/fruits/apple.yaml", "a: 1"},
                                   {"catalog/fruits/fig-2.5.yaml", "f: 2"},
                                   {"catalog/trees/apple.yaml", "t: 3"}};

const EmbeddedFolder kCatalog(kFiles, "0123");
const EmbeddedFolder kFruits = kCatalog.below("catalog/fruits/");

TEST(EmbeddedFolder, ListsNamesInTheOrderOfTheFiles) {
  EXPECT_THAT(kCatalog.names(), ElementsAre("apple", "fig-2.5", "apple"));
  EXPECT_THAT(kFruits.names(), ElementsAre("apple", "fig-2.5"));
  EXPECT_THAT(kCatalog.below("catalog/nuts/").names(), IsEmpty());
}

TEST(EmbeddedFolder, FindsAFileByItsName) {
  EXPECT_EQ(kFruits.find("fig-2.5").content, "f: 2");
  EXPECT_EQ(kCatalog.below("catalog/trees/").find("apple").path, "catalog/trees/apple.yaml");
}

TEST(EmbeddedFolder, RefusesAnUnknownName) {
  for (const char* name : {"", "fig", "fig-2.5.yaml", "fruits/apple"}) {
    EXPECT_THROW((void)kFruits.find(name), std::out_of_range) << name;
  }
}

TEST(EmbeddedFolder, AFolderInsideKeepsTheFingerprintOfTheWhole) { EXPECT_EQ(kFruits.sha256(), "0123"); }

}  // namespace
}  // namespace trainsim
