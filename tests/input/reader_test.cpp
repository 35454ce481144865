#include "simulator/input/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainsim {
namespace {

using ::testing::HasSubstr;

// Reads `text` as a map under the path "m" and keeps the messages.
class Reader : public ::testing::Test {
 protected:
  MapReader& read(const std::string& text) {
    document_ = parse_document(text, "f");
    reader_.emplace(document_.root, "m", context_);
    return *reader_;
  }

  std::string messages() const {
    std::string result;
    for (const Diagnostic& diagnostic : diagnostics_.all()) result += diagnostic.text() + "\n";
    return result;
  }

  Document document_;
  Diagnostics diagnostics_;
  ReadContext context_{"f", diagnostics_};
  std::optional<MapReader> reader_;
};

TEST_F(Reader, ConvertsEveryKindOfValue) {
  MapReader& map = read("t: some text\nb: true\ni: 8\nn: 0.5\nc: 300B\nq: 400Gb/s\nw: ring\n");
  EXPECT_EQ(map.text("t"), "some text");
  EXPECT_EQ(map.boolean("b"), true);
  EXPECT_EQ(map.integer("i", {1, 8}), 8);
  EXPECT_EQ(map.number("n"), 0.5);
  EXPECT_EQ(map.count("c"), 300e9);
  EXPECT_EQ(map.quantity("q", Unit::bytes_per_s), 50e9);
  EXPECT_EQ(map.choice("w", {"tree", "ring"}), "ring");
  map.finish();
  EXPECT_EQ(messages(), "");
}

TEST_F(Reader, GivesNothingForAnAbsentKeyAndSaysNothing) {
  MapReader& map = read("a: 1");
  EXPECT_EQ(map.integer("b"), std::nullopt);
  EXPECT_EQ(map.quantity("c", Unit::seconds), std::nullopt);
  EXPECT_FALSE(map.has("b"));
  EXPECT_TRUE(map.has("a"));
  EXPECT_EQ(messages(), "");
}

TEST_F(Reader, ReportsUnknownKeysWithTheNearestKnownOne) {
  MapReader& map = read("tensr: 8\nzzzzzzzzzz: 1\npipeline: 2\n");
  map.integer("tensor");
  map.integer("pipeline");
  map.finish();
  EXPECT_EQ(messages(),
            "f:1:1: m.tensr: unknown key; did you mean 'tensor'?\n"
            "f:2:1: m.zzzzzzzzzz: unknown key; known keys: pipeline | tensor\n");
}

TEST_F(Reader, ListsOnlyTheFirstOfManyUnknownKeys) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  read(text).finish();
  EXPECT_EQ(diagnostics_.all().size(), 21U);
  EXPECT_THAT(messages(), HasSubstr("f:21:1: m: more unknown keys follow"));
}

TEST_F(Reader, ChecksIntegers) {
  MapReader& map = read("a: 0\nb: 9\nc: 1.5\nd: \"8\"\ne: [1]\nf:\ng: 99999999999999999999\nh: 1e3\ni: 007\nj: x\n");
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    EXPECT_EQ(map.integer(key, {1, 8}), std::nullopt) << key;
  }
  EXPECT_EQ(messages(),
            "f:1:4: m.a: '0' is out of range; a whole number, 1 to 8\n"
            "f:2:4: m.b: '9' is out of range; a whole number, 1 to 8\n"
            "f:3:4: m.c: '1.5' is not written as a whole number; a whole number, 1 to 8\n"
            "f:4:4: m.d: '8': text in quotes; a whole number, 1 to 8\n"
            "f:5:4: m.e: a list where a whole number is due\n"
            "f:6:1: m.f: nothing where a whole number is due\n"
            "f:7:4: m.g: '99999999999999999999' is out of range; a whole number, 1 to 8\n"
            "f:8:4: m.h: '1e3' is not written as a whole number; a whole number, 1 to 8\n"
            "f:9:4: m.i: '007': a number with leading zeros; a whole number, 1 to 8\n"
            "f:10:4: m.j: 'x': not a number; a whole number, 1 to 8\n");
}

TEST_F(Reader, ProbesBothEndsOfAnIntegerRange) {
  MapReader& map = read("a: 1\nb: 8\nc: -9223372036854775808\n");
  EXPECT_EQ(map.integer("a", {1, 8}), 1);
  EXPECT_EQ(map.integer("b", {1, 8}), 8);
  EXPECT_EQ(map.integer("c", {INT64_MIN, 0}), INT64_MIN);
}

TEST_F(Reader, ChecksNumbersAndTheirRanges) {
  MapReader& map = read("a: 0\nb: 1\nc: 1.5\nd: .nan\ne: 5us\n");
  const NumberRange share{0.0, 1.0, true};
  EXPECT_EQ(map.number("a", share), std::nullopt);
  EXPECT_EQ(map.number("b", share), 1.0);
  EXPECT_EQ(map.number("c", share), std::nullopt);
  EXPECT_EQ(map.number("d", share), std::nullopt);
  EXPECT_EQ(map.number("e", share), std::nullopt);
  EXPECT_EQ(messages(),
            "f:1:4: m.a: '0' is out of range; above 0 and at most 1\n"
            "f:3:4: m.c: '1.5' is out of range; above 0 and at most 1\n"
            "f:4:4: m.d: '.nan': NaN and infinities are refused; a plain number\n"
            "f:5:4: m.e: '5us': a quantity with a unit where a plain number is due; a plain number\n");
}

TEST_F(Reader, ChecksCounts) {
  MapReader& map = read("a: 0.5\nb: 5G\nc: \"15T\"\nd: {}\n");
  EXPECT_EQ(map.count("a"), std::nullopt);
  EXPECT_EQ(map.count("b"), std::nullopt);
  EXPECT_EQ(map.count("c"), 15e12);
  EXPECT_EQ(map.count("d"), std::nullopt);
  EXPECT_EQ(messages(),
            "f:1:4: m.a: '0.5' is not whole; a count such as 300e9, 300B or 15T\n"
            "f:2:4: m.b: '5G': unknown suffix 'G'; a count such as 300e9, 300B or 15T\n"
            "f:4:4: m.d: a map where a count such as 300e9, 300B or 15T is due\n");
}

TEST_F(Reader, ChecksQuantities) {
  MapReader& map = read("a: 400\nb: 5us\nc: 0GB/s\nd: \"8GB/s\"\n");
  const NumberRange positive{0.0, 1e300, true};
  EXPECT_EQ(map.quantity("a", Unit::bytes_per_s, positive), std::nullopt);
  EXPECT_EQ(map.quantity("b", Unit::bytes_per_s, positive), std::nullopt);
  EXPECT_EQ(map.quantity("c", Unit::bytes_per_s, positive), std::nullopt);
  EXPECT_EQ(map.quantity("d", Unit::bytes_per_s, positive), 8e9);
  EXPECT_EQ(messages(),
            "f:1:4: m.a: '400': a number without a unit; a bandwidth such as 400Gb/s or 900GB/s\n"
            "f:2:4: m.b: '5us': a time where a bandwidth is due; a bandwidth such as 400Gb/s or 900GB/s\n"
            "f:3:4: m.c: '0GB/s' is out of range; above 0B/s\n");
}

TEST_F(Reader, ChecksBooleansAndWords) {
  MapReader& map = read("a: yes\nb: \"true\"\nc: rin\nd: [x]\ne: false\n");
  EXPECT_EQ(map.boolean("a"), std::nullopt);
  EXPECT_EQ(map.boolean("b"), std::nullopt);
  EXPECT_EQ(map.choice("c", {"ring", "tree"}), std::nullopt);
  EXPECT_EQ(map.text("d"), std::nullopt);
  EXPECT_EQ(map.boolean("e"), false);
  EXPECT_EQ(messages(),
            "f:1:4: m.a: 'yes' where true or false is due; true | false, without quotes\n"
            "f:2:4: m.b: 'true' where true or false is due; true | false, without quotes\n"
            "f:3:4: m.c: unknown value 'rin', did you mean 'ring'?; allowed: ring | tree\n"
            "f:4:4: m.d: a list where text is due\n");
}

TEST_F(Reader, ReportsMissingLaterAndFaultyKeys) {
  MapReader& map = read("storage: {read: 1}\nx: 2\n");
  map.require("nodes");
  map.require("x");
  map.refuse_later("storage");
  map.refuse_later("throttling");
  map.fault("x", "is odd", "2 | 4");
  map.fault("y", "is missed");
  map.finish();
  EXPECT_EQ(messages(),
            "f:1:1: m.nodes: missing; this key is required\n"
            "f:1:10: m.storage: not supported yet\n"
            "f:2:4: m.x: is odd; 2 | 4\n"
            "f:1:1: m.y: is missed\n");
}

TEST_F(Reader, ReportsOnceWhatIsNoMap) {
  MapReader& map = read("[1, 2]");
  map.require("a");
  map.integer("b");
  map.finish();
  EXPECT_EQ(messages(), "f:1:1: m: a list where a map of keys is due\n");
}

TEST_F(Reader, CutsLongValuesInMessages) {
  read("a: " + std::string(5000, 'x')).integer("a");
  EXPECT_LT(messages().size(), 200U);
}

TEST_F(Reader, PointsAtTheCommandLineForAnOverride) {
  document_ = parse_document("a: 1", "f");
  override_value(document_, "b=2");
  override_value(document_, "a=x");
  reader_.emplace(document_.root, "", context_);
  reader_->integer("a");
  reader_->finish();
  EXPECT_EQ(messages(),
            "--set: a: 'x': not a number; a whole number, at least 0\n--set: b: unknown key; known keys: a\n");
}

}  // namespace
}  // namespace trainsim
