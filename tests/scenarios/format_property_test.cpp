// Is any text at all either a scenario or an InputError?
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <iterator>

#include "tests/scenarios/format_fixture.hpp"

namespace trainsim {
namespace {

class FormatProperty : public FormatFixture {
 protected:
  // Whether the text is read, or refused with at least one fault that has a place.
  [[nodiscard]] bool is_read_or_refused(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      const auto has_place = [](const Diagnostic& diagnostic) { return diagnostic.where.line >= 1; };
      return !error.diagnostics().empty() &&
             std::all_of(error.diagnostics().begin(), error.diagnostics().end(), has_place);
    }
    return true;
  }

  [[nodiscard]] static std::string page() {
    std::ifstream stream(TRAINSIM_SOURCE_DIR "/tests/scenarios/format_page_example.yaml");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(FormatProperty, AFileWithSomeOfItsTextReplacedIsReadOrRefused) {
  const std::string whole = page();
  const std::vector<std::string> pieces = {"",     " ",  "\n",    ":",    ": ", "- ",   "[",   "]",   "{",
                                           "}",    ",",  "#",     "'",    "\"", "|",    "&a ", "*a",  "!a",
                                           "<<: ", "? ", "~",     "0",    "-1", "7",    "1e9", "5us", "2GB/s",
                                           "auto", "no", "\\u00", "\xFF", "\t", "---\n"};
  EXPECT_TRUE(rc::check([&] {
    std::string text = whole;
    const auto changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
      const auto length = *rc::gen::element<std::size_t>(0, 1, 1, 4, 40);
      text.replace(at, std::min(length, text.size() - at), *rc::gen::elementOf(pieces));
    }
    RC_LOG() << text << '\n';
    RC_ASSERT(is_read_or_refused(text));
  }));
}

TEST_F(FormatProperty, AFileCutOffAnywhereIsReadOrRefused) {
  const std::string whole = page();
  EXPECT_TRUE(rc::check([&] {
    const std::string text = whole.substr(0, *rc::gen::inRange<std::size_t>(0, whole.size() + 1));
    RC_LOG() << text << '\n';
    RC_ASSERT(is_read_or_refused(text));
  }));
}

// The value at one place is replaced by a value of any kind: the answer is a message about that place, not a crash.
TEST_F(FormatProperty, AnyValueAtAnyKeyIsReadOrRefused) {
  const std::vector<std::string> keys = {"model",
                                         "model.preset",
                                         "model.transformer",
                                         "model.hf_config",
                                         "model.lora",
                                         "training",
                                         "training.length",
                                         "training.optimizer",
                                         "training.scaling",
                                         "parallelism",
                                         "parallelism.order",
                                         "parallelism.sharding",
                                         "parallelism.context_kind",
                                         "parallelism.expert_tensor",
                                         "parallelism.recompute",
                                         "parallelism.layers_per_stage",
                                         "software.collectives",
                                         "software.stack",
                                         "cluster",
                                         "cluster.node",
                                         "cluster.fabric",
                                         "cluster.fabric.levels",
                                         "cluster.placement",
                                         "conditions",
                                         "conditions.tenants",
                                         "conditions.stragglers",
                                         "conditions.links",
                                         "conditions.checkpoint",
                                         "simulation",
                                         "simulation.steps",
                                         "cost"};
  const std::vector<std::string> values = {"~",  "8",   "-1",   "x",   "\"x\"", "1e400",  "true",      "5us",     "[]",
                                           "{}", "[1]", "[[]]", "[~]", "[{}]",  "{a: 1}", "{kind: x}", "[x, [y]]"};
  EXPECT_TRUE(rc::check([&] {
    const std::string assignment = *rc::gen::elementOf(keys) + "=" + *rc::gen::elementOf(values);
    RC_LOG() << assignment << '\n';
    try {
      read(kGoodScenario, {assignment});
    } catch (const InputError& error) {
      RC_ASSERT(!error.diagnostics().empty());
    }
  }));
}

}  // namespace
}  // namespace trainsim
