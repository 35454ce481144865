// Reads catalog/stack.yaml and catalog/stacks. A fault in a shipped file is an InputError; the tests read them all.
#include <algorithm>

#include "simulator/cost/catalog_files.hpp"
#include "simulator/cost/cost.hpp"
#include "simulator/input/embedded_document.hpp"

namespace trainsim {
namespace {

constexpr NumberRange kPositive{0.0, 1e300, true};
constexpr IntegerRange kGenerations{0, 3};

EmbeddedFolder stack_files() { return cost_catalog_files().below("catalog/stacks/"); }

// `flash_attention` is a generation, or a map from architecture (and `default`) to generation.
int read_flash_attention(SourcedSection& section, std::string_view architecture) {
  const Node* node = section.figure("flash_attention");
  if (node == nullptr) return 0;
  const std::string path = section.path_of("flash_attention");
  if (node->kind != Node::Kind::map) {
    return static_cast<int>(read_integer(*node, path, section.context(), kGenerations).value_or(0));
  }
  const Node* choice = node->find(architecture);
  if (choice == nullptr) choice = node->find("default");
  if (choice == nullptr) {
    report(*node, path, section.context(), "has no default", "default: 0 to 3");
    return 0;
  }
  return static_cast<int>(read_integer(*choice, path, section.context(), kGenerations).value_or(0));
}

void read_efficiency(MapReader& file, Stack& stack, FileOrigins& origins) {
  SourcedSection section(file, "efficiency");
  stack.matmul_factor = section.number("matmul_factor", kPositive);
  stack.grouped_matmul_factor = section.number("grouped_matmul_factor", kPositive);
  stack.attention_factor = section.number("attention_factor", kPositive);
  stack.optimizer_bandwidth_factor = section.number("optimizer_bandwidth_factor", kPositive);
  section.finish();
  origins.add(section);
}

void read_kernels(MapReader& file, std::string_view architecture, Stack& stack, FileOrigins& origins) {
  SourcedSection section(file, "kernels");
  KernelPolicy& kernels = stack.kernels;
  kernels.flash_attention = read_flash_attention(section, architecture);
  kernels.elementwise_pass_factor = section.number("elementwise_pass_factor", kPositive);
  kernels.recomputes_attention_only = section.boolean("recomputes_attention_only");
  kernels.fused_softmax_multiple = section.number("fused_softmax_multiple", {.low = 1.0});
  kernels.loss_bytes_per_logit = section.number("loss_bytes_per_logit");
  kernels.optimizer_bytes_per_parameter = section.number("optimizer_bytes_per_parameter");
  kernels.scales_inside_experts = section.boolean("scales_inside_experts");
  kernels.keeps_activation_inputs_in_8_bits = section.boolean("activation_inputs_in_8_bits");
  kernels.overlaps_weight_gradient = section.boolean("overlaps_weight_gradient");
  kernels.scatter_gather_pipeline = section.boolean("scatter_gather_pipeline");
  section.finish();
  origins.add(section);
}

void read_host(MapReader& file, Stack& stack, FileOrigins& origins) {
  SourcedSection section(file, "host");
  HostPolicy& host = stack.kernels.host;
  host.s_per_kernel = section.quantity("per_kernel", Unit::seconds);
  host.s_per_micro_batch = section.quantity("per_micro_batch", Unit::seconds);
  host.s_per_step = section.quantity("per_step", Unit::seconds);
  host.waits_for_messages = section.boolean("waits_for_messages");
  stack.host_stalls = {section.number("stall_per_tensor_rank"), section.number("stall_per_tensor_rank_across_nodes")};
  section.finish();
  origins.add(section);
}

void read_noise(MapReader& file, Stack& stack, FileOrigins& origins) {
  SourcedSection section(file, "noise");
  stack.overlap_slowdown = section.number("overlap_slowdown");
  stack.jitter = {section.number("kernel_jitter"), section.number("chip_spread")};
  section.finish();
  origins.add(section);
}

void read_memory(MapReader& file, Stack& stack, FileOrigins& origins) {
  SourcedSection section(file, "memory");
  stack.memory.framework_bytes = section.quantity("framework", Unit::bytes);
  stack.memory.fragmentation = section.number("fragmentation", {0.0, 1.0});
  stack.memory.loss_bytes_per_logit = section.number("loss_bytes_per_logit");
  stack.memory.gradient_copy_bytes_per_parameter = section.number("gradient_copy");
  stack.memory.activation_factor = section.number("activation_factor");
  section.finish();
  origins.add(section);
}

ScalingKind scaling_called(std::string_view name) {
  if (name == "current") return ScalingKind::current;
  return name == "blockwise" ? ScalingKind::blockwise : ScalingKind::delayed;
}

void read_defaults(MapReader& file, Stack& stack, FileOrigins& origins) {
  SourcedSection section(file, "defaults");
  stack.grad_dtype = section.choice("grad_dtype", {"fp32", "fp16", "bf16"});
  stack.reduces_every_micro_batch = section.boolean("reduces_every_micro_batch");
  stack.balances_context = section.boolean("balances_context");
  stack.scaling = scaling_called(section.choice("scaling", {"delayed", "current", "blockwise"}));
  stack.overlap.gradient_reduce = section.boolean("overlap_gradient_reduce");
  stack.overlap.parameter_gather = section.boolean("overlap_parameter_gather");
  stack.overlap.tensor = section.boolean("overlap_tensor");
  stack.overlap.pipeline = section.boolean("overlap_pipeline");
  stack.overlap.bucket_bytes = section.quantity("bucket", Unit::bytes);
  stack.bucket_bytes_per_data_rank = section.quantity("bucket_per_data_rank", Unit::bytes);
  section.finish();
  origins.add(section);
}

Stack read_stack(const Node& root, ReadContext& context, std::string_view architecture) {
  MapReader file(root, "", context);
  Stack stack;
  FileOrigins origins;
  file.require("about");
  stack.about = file.text("about").value_or("");
  read_efficiency(file, stack, origins);
  read_kernels(file, architecture, stack, origins);
  read_host(file, stack, origins);
  read_noise(file, stack, origins);
  read_memory(file, stack, origins);
  read_defaults(file, stack, origins);
  file.finish();
  stack.estimated = std::move(origins.estimated);
  stack.source = std::move(origins.source);
  return stack;
}

Node shared_by_all() { return parse_document(cost_catalog_files().find("stack").content, "stack.yaml").root; }

// With everything that the file does not say taken from its base, and from what all stacks share.
std::optional<Node> whole_stack(const Node& root, ReadContext& context) {
  const Node* base = root.find("base");
  if (base == nullptr) return merged(shared_by_all(), root);
  const auto name = read_choice(*base, "base", context, stack_names());
  if (!name) return std::nullopt;
  Node changes = root;
  for (std::size_t i = 0; i < changes.entries.size(); ++i) {
    if (changes.entries[i].first != "base") continue;
    changes.entries.erase(changes.entries.begin() + static_cast<std::ptrdiff_t>(i));
    changes.key_places.erase(changes.key_places.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  const Node whole = merged(shared_by_all(), parse_document(stack_files().find(*name).content, context.file).root);
  return merged(whole, changes);
}

std::vector<WrittenFigure> figures_of(const Node& root, ReadContext& context) {
  std::vector<WrittenFigure> figures;
  MapReader file(root, "", context);
  for (const char* key : {"efficiency", "kernels", "host", "noise", "memory", "defaults"}) {
    if (!file.has(key)) continue;
    const SourcedSection section(file, key);
    for (WrittenFigure& figure : section.written()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

std::vector<std::string> stack_names() { return stack_files().names(); }

Stack stack_from_file(const std::filesystem::path& path, std::string_view architecture) {
  const Document document = read_document(path);
  Diagnostics diagnostics;
  ReadContext context{document.file, diagnostics};
  const std::optional<Node> whole = whole_stack(document.root, context);
  Stack stack;
  if (whole) stack = read_stack(*whole, context, architecture);
  diagnostics.throw_if_any();
  stack.name = path.stem().string();
  return stack;
}

Stack catalog_stack(std::string_view name, std::string_view architecture) {
  Stack stack = read_embedded(stack_files().find(name), [&](const Node& root, ReadContext& context) {
    return read_stack(merged(shared_by_all(), root), context, architecture);
  });
  stack.name = name;
  return stack;
}

std::vector<WrittenFigure> shared_stack_figures() {
  return read_embedded(cost_catalog_files().find("stack"), figures_of);
}

std::vector<WrittenFigure> own_stack_figures(std::string_view name) {
  return read_embedded(stack_files().find(name), figures_of);
}

}  // namespace trainsim
