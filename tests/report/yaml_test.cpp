#include "scenarios/report/yaml.hpp"

#include <gmock/gmock.h>

namespace trainsim {
namespace {

using Json = nlohmann::ordered_json;

TEST(Yaml, MapsAreBlocksAndListsOfScalarsAreOnOneLine) {
  const Json json = {{"trainsim", 1},
                     {"model", {{"preset", "gpt3-175b"}}},
                     {"layers", {8, 8}},
                     {"tenants", {{{"name", "a"}, {"share", 0.3}}, {{"name", "b"}}}}};
  EXPECT_EQ(to_yaml(json),
            "trainsim: 1\n"
            "model:\n  preset: gpt3-175b\n"
            "layers: [8, 8]\n"
            "tenants:\n  -\n    name: a\n    share: 0.3\n  -\n    name: b\n");
}

TEST(Yaml, QuantitiesStayPlain) {
  EXPECT_EQ(to_yaml("400GB/s"), "400GB/s\n");
  EXPECT_EQ(to_yaml("1.5us"), "1.5us\n");
  EXPECT_EQ(to_yaml("2.5e-05s"), "2.5e-05s\n");
}

TEST(Yaml, StringsThatWouldReadAsSomethingElseAreQuoted) {
  for (const char* text :
       {"8", "1e5", "0x1F", "true", "No", "null", "y", "", " a", "a: b", "#", "-", "1.5", "[x]", "a\nb"}) {
    EXPECT_EQ(to_yaml(text).front(), '"') << text;
  }
}

TEST(Yaml, EmptyListsAndMapsAreWrittenOut) {
  EXPECT_EQ(to_yaml(Json({{"a", Json::array()}, {"b", Json::object()}})), "a: []\nb: {}\n");
}

}  // namespace
}  // namespace trainsim
