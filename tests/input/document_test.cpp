#include "simulator/input/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace trainsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The message of what parse_document refuses, or "accepted".
std::string refusal(const std::string& text) {
  try {
    parse_document(text, "f");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string override_refusal(Document& document, std::string_view assignment) {
  try {
    override_value(document, assignment);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseDocument, KeepsThePlaceOfEveryKeyAndValue) {
  const Document document = parse_document("a: 1\nb:\n  c: [x, \"8\"]\n", "f");
  const Node& root = document.root;
  ASSERT_EQ(root.kind, Node::Kind::map);
  EXPECT_THAT(root.key_places, ElementsAre(std::pair(1, 1), std::pair(2, 1)));
  const Node* c = root.find("b")->find("c");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->kind, Node::Kind::sequence);
  EXPECT_EQ(c->line, 3);
  EXPECT_EQ(c->column, 6);
  EXPECT_EQ(c->items[1].column, 10);
  EXPECT_EQ(c->items[1].scalar, "8");
  EXPECT_TRUE(c->items[1].is_quoted);
  EXPECT_FALSE(c->items[0].is_quoted);
  EXPECT_EQ(root.find("z"), nullptr);
}

TEST(ParseDocument, CountsColumnsInCharactersNotBytes) {
  EXPECT_EQ(parse_document("{\"ü€\": 1, b: 2}", "f").root.entries[1].second.column, 14);
}

TEST(ParseDocument, PutsAMissingValueAtItsKey) {
  const Document document = parse_document("a: 1\nb:\n  c:\n\n  d: ~\n", "f");
  const Node* b = document.root.find("b");
  EXPECT_EQ(b->find("c")->kind, Node::Kind::null);
  EXPECT_EQ(b->find("c")->line, 3);
  EXPECT_EQ(b->find("c")->column, 3);
  EXPECT_EQ(b->find("d")->line, 5);
  EXPECT_EQ(b->find("d")->column, 6);
}

TEST(ParseDocument, ReadsJsonWithTabs) {
  const Document document = parse_document("{\n\t\"a\": {\n\t\t\"b\": [1, 2.5, \"x/y\", true, null]\n\t}\n}\n", "f");
  const Node* b = document.root.find("a")->find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->items.size(), 5U);
  EXPECT_EQ(b->items[2].scalar, "x/y");
  EXPECT_EQ(b->items[4].kind, Node::Kind::null);
}

TEST(ParseDocument, ReadsWindowsLineEndsAndAByteOrderMark) {
  const Document document = parse_document(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n",
      "f");
  EXPECT_EQ(document.root.find("a")->scalar, "1");
  EXPECT_EQ(document.root.find("b")->scalar, "2");
  EXPECT_EQ(document.root.key_places[0], std::pair(1, 1));
}

TEST(ParseDocument, RefusesWhatIsNoText) {
  EXPECT_EQ(refusal("a: 1\nb: \xFF"), "f:2:4: not UTF-8 text; a scenario is UTF-8 text");
  EXPECT_EQ(refusal("ü: \xC3"), "f:1:4: not UTF-8 text; a scenario is UTF-8 text");
  EXPECT_THAT(refusal("\xFF\xFE"
                      "a"),
              HasSubstr("f:1:1: not UTF-8"));
  EXPECT_EQ(refusal(std::string("a: b\0c", 6)), "f:1:5: a NUL character; a scenario is UTF-8 text");
  EXPECT_THAT(refusal("a: \x04\nb: 1"), HasSubstr("f:1:4: a control character"));
  EXPECT_THAT(refusal("a: \x7F"), HasSubstr("f:1:4: a control character"));
  EXPECT_EQ(refusal("a: \"b\\0c\""), "f:1:4: a: a NUL character");
}

TEST(ParseDocument, RefusesEmptyFiles) {
  for (const char* text : {"", "\n\n", "# nothing\n", "---\n", "~", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(refusal(text), "f:1:1: empty; a file holds one YAML document") << text;
  }
}

TEST(ParseDocument, RefusesAnchorsAliasesTagsAndMergeKeys) {
  EXPECT_EQ(refusal("a: &x 1"), "f:1:4: a: anchors are refused; write the value out where it is used");
  EXPECT_EQ(refusal("a: &x 1\nb: *x"),
            "f:1:4: a: anchors are refused; write the value out where it is used\n"
            "f:2:4: b: aliases are refused; write the value out");
  EXPECT_EQ(refusal("a: !!int 1"), "f:1:4: a: tags are refused; quote a word to make it text");
  EXPECT_THAT(refusal("a: !custom {b: 1}"), HasSubstr("f:1:4: a: tags are refused"));
  EXPECT_THAT(refusal("a: ! 1"), HasSubstr("f:1:4: a: tags are refused"));
  EXPECT_THAT(refusal("a: !!null"), HasSubstr("f:1:4: a: tags are refused"));
  EXPECT_THAT(refusal("a: {b: 1}\nc:\n  <<: {d: 1}"), HasSubstr("f:3:3: c.<<: merge keys are refused"));
}

TEST(ParseDocument, RefusesAnAliasBombAtItsFirstAnchor) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + ", " + last + "]\n";
  }
  EXPECT_THAT(refusal(bomb), HasSubstr("f:1:5: a0: anchors are refused"));
}

TEST(ParseDocument, ReportsEveryDuplicateKeyAtOnce) {
  EXPECT_EQ(refusal("a: 1\na: 2\nb: {c: 1, c: 2}\n"),
            "f:2:1: a: duplicate key; each key once in its map\n"
            "f:3:11: b.c: duplicate key; each key once in its map");
}

TEST(ParseDocument, RefusesKeysThatAreNoWord) {
  EXPECT_THAT(refusal("{[a]: 1}"), HasSubstr("a list as a key"));
  EXPECT_THAT(refusal("? {a: b}\n: 1"), HasSubstr("a map as a key"));
  EXPECT_THAT(refusal("~: 1"), HasSubstr("f:1:1: ?: nothing as a key"));
}

TEST(ParseDocument, RefusesASecondDocument) {
  EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"),
            "f:2:1: a second document, or text after the end of the first; a file holds one document");
}

TEST(ParseDocument, AllowsThirtyTwoLevelsAndRefusesThirtyThree) {
  EXPECT_EQ(refusal(std::string(32, '[') + "1" + std::string(32, ']')), "accepted");
  EXPECT_THAT(refusal(std::string(33, '[') + "1" + std::string(33, ']')), HasSubstr("f:1:33: "));
  EXPECT_THAT(refusal(std::string(33, '[') + "1" + std::string(33, ']')),
              HasSubstr("nested too deeply; at most 32 levels"));
}

TEST(ParseDocument, SurvivesAMillionOpenBrackets) {
  EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("nested too deeply"));
}

TEST(ParseDocument, LocatesBrokenYaml) {
  EXPECT_THAT(refusal("a: [1, 2\nb: 3\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(refusal("a: 1\n\tb: 2\n"), HasSubstr("f:2:"));
  EXPECT_THAT(refusal("a: \"unfinished"), HasSubstr("f:1:15: not valid YAML"));
}

TEST(ParseDocument, RefusesAQuoteThatIsNeverClosed) {
  EXPECT_EQ(refusal("a: \"unfinished\n"), "f:1:4: a: a quote that is never closed");
  EXPECT_EQ(refusal("a: \"x\\\"\n"), "f:1:4: a: a quote that is never closed");
  EXPECT_EQ(refusal("a: 'it''s\n"), "f:1:4: a: a quote that is never closed");
  for (const char* text : {"a: \"x\\\"\"", "a: 'it''s'", "a: ''", "a: \"\"", "a: |\n  \"x\n", "a: '\"'"}) {
    EXPECT_EQ(refusal(text), "accepted") << text;
  }
}

TEST(ParseDocument, StopsAfterAHundredFaults) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a: 1\n";
  EXPECT_THAT(refusal(text), HasSubstr("f:101:1: too many faults"));
}

TEST(ParseDocument, RefusesMoreThanSixteenMebibytes) {
  const std::string text = "a: 1\n#" + std::string(16 << 20, 'x');
  EXPECT_EQ(refusal(text), "f: too large; at most 16 MiB");
}

class ReadDocument : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("trainsim_document_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string refusal_of(const std::filesystem::path& path) {
    try {
      read_document(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(ReadDocument, ReadsAFileUnderTheNameItWasGiven) {
  std::ofstream(folder_ / "a.yaml") << "a: 1\n";
  const Document document = read_document(folder_ / "a.yaml");
  EXPECT_EQ(document.file, (folder_ / "a.yaml").string());
  EXPECT_EQ(document.root.find("a")->scalar, "1");
}

TEST_F(ReadDocument, NamesOnlyTheFileWhenItCannotBeRead) {
  EXPECT_EQ(refusal_of(folder_ / "none.yaml"), (folder_ / "none.yaml").string() + ": no such file");
  EXPECT_EQ(refusal_of(folder_), folder_.string() + ": is a directory; name a file");
  std::ofstream(folder_ / "a.yaml") << "a: 1\n";
  EXPECT_THAT(refusal_of(folder_ / "a.yaml" / "b"), HasSubstr("b: "));
  EXPECT_EQ(refusal_of("/dev/null"), "/dev/null: is not a regular file");
}

TEST_F(ReadDocument, DoesNotWaitForAPipe) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of(folder_ / "pipe"), (folder_ / "pipe").string() + ": is not a regular file");
}

TEST_F(ReadDocument, RefusesAFileOverTheLimit) {
  std::ofstream(folder_ / "big.yaml") << "a: 1\n";
  std::filesystem::resize_file(folder_ / "big.yaml", (std::uintmax_t{16} << 20U) + 1);
  EXPECT_EQ(refusal_of(folder_ / "big.yaml"), (folder_ / "big.yaml").string() + ": too large; at most 16 MiB");
}

TEST(OverrideValue, ReplacesAScalar) {
  Document document = parse_document("parallelism: {tensor: 8, pipeline: 2}", "f");
  override_value(document, "parallelism.tensor=4");
  const Node* tensor = document.root.find("parallelism")->find("tensor");
  EXPECT_EQ(tensor->scalar, "4");
  EXPECT_EQ(location_of(*tensor, "f").file, "--set");
  EXPECT_EQ(document.root.find("parallelism")->find("pipeline")->scalar, "2");
}

TEST(OverrideValue, CreatesMapsOnTheWay) {
  Document document = parse_document("a: 1\nb:\n", "f");
  override_value(document, "b.c.d=x=y");
  override_value(document, "e={f: 2}");
  EXPECT_EQ(document.root.find("b")->find("c")->find("d")->scalar, "x=y");
  EXPECT_EQ(document.root.find("e")->find("f")->scalar, "2");
  EXPECT_EQ(document.root.key_places.size(), document.root.entries.size());
}

TEST(OverrideValue, FindsListItemsByIndex) {
  Document document = parse_document("s: [{speed: 0.8}, {speed: 0.9}]", "f");
  override_value(document, "s.1.speed=0.5");
  EXPECT_EQ(document.root.find("s")->items[0].find("speed")->scalar, "0.8");
  EXPECT_EQ(document.root.find("s")->items[1].find("speed")->scalar, "0.5");
}

TEST(OverrideValue, RefusesWhatMakesNoSenseAndChangesNothing) {
  Document document = parse_document("a: 1\ns: [1]\n", "f");
  EXPECT_THAT(override_refusal(document, "a"), HasSubstr("--set: 'a' is no assignment; write key.path=value"));
  EXPECT_THAT(override_refusal(document, "=1"), HasSubstr("--set: "));
  EXPECT_THAT(override_refusal(document, "a="), HasSubstr("--set: a: empty"));
  EXPECT_THAT(override_refusal(document, "a=[1"), HasSubstr("--set: a: not valid YAML"));
  EXPECT_THAT(override_refusal(document, "a=&x 1"), HasSubstr("--set: a: anchors are refused"));
  EXPECT_THAT(override_refusal(document, "a.b=1"), HasSubstr("--set: a.b: 'b' lies inside a single value"));
  EXPECT_THAT(override_refusal(document, "s.1=1"), HasSubstr("--set: s.1: the list has no item '1'"));
  EXPECT_THAT(override_refusal(document, "s.x=1"), HasSubstr("the list has no item 'x'"));
  EXPECT_THAT(override_refusal(document, "new..x=1"), HasSubstr("an empty key"));
  EXPECT_EQ(document.root.entries.size(), 2U);
  EXPECT_EQ(document.root.find("a")->scalar, "1");
}

}  // namespace
}  // namespace trainsim
