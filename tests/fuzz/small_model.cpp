// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/small_model.h"

#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "storage/tf/example_codec.h"

#include <algorithm>
#include <vector>

namespace cannery::tests {

using namespace cannery::storage;

namespace {

HostTensor valueFor(const TensorInfo& info)
{
    Shape shape = info.hasUnknownRank ? Shape{2} : info.shape;
    std::int64_t count = 1;
    for (std::int64_t& dim : shape.dims) {
        dim = dim < 0 ? 2 : std::min<std::int64_t>(dim, 3);
        count *= dim;
        if (count > 1000) {
            return HostTensor::scalar(1.0F);
        }
    }
    if (info.dtype == DType::String) {
        const Example example{{{"x", std::vector<float>{1.5F}},
                               {"i", std::vector<std::int64_t>{1}},
                               {"s", std::vector<std::string>{"a"}}}};
        return HostTensor::ofStrings(
            std::vector<std::string>(static_cast<std::size_t>(count), serializeExample(example)),
            shape);
    }
    return byteSize(info.dtype) == 0 ? HostTensor::scalar(1.0F)
                                     : HostTensor::zeros(info.dtype, shape);
}

} // namespace

SmallModel::SmallModel()
{
    m_folder.makeFolder("variables");
    m_folder.makeFolder("assets");
    m_folder.write("assets/vocab.txt", "a\nb\nc\n");
    const std::vector<float> weights{1, 2, 3, 4, 5, 6};
    const std::vector<std::int64_t> step{7};
    const std::vector<NamedTensor> tensors{
        {"b", TensorView::of(std::span<const float>(weights).first(3), Shape{3})},
        {"global_step", TensorView::of(std::span<const std::int64_t>(step), Shape{})},
        {"w", TensorView::of(std::span<const float>(weights), Shape{2, 3})}};
    FUZZ_REQUIRE(writeCheckpoint(m_folder.path() + "/variables/variables", tensors));
}

SmallModel::SmallModel(const std::string& seed) : SmallModel()
{
    m_name = "model " + seed;
    const auto bytes = readWholeFile(CANNERY_SOURCE_DIR "/tests/fuzz/corpus/saved_model/" + seed);
    FUZZ_REQUIRE(bytes.has_value());
    m_folder.write("saved_model.pb", *bytes);
    const auto runner = exporting::GraphRunner::load(m_folder.path());
    FUZZ_REQUIRE(runner.has_value());
    m_inputs = inputsFor(runner->signatures().at("predict"));
}

exporting::NamedTensors inputsFor(const Signature& signature)
{
    exporting::NamedTensors inputs;
    for (const auto& [key, info] : signature.inputs) {
        inputs[key] = valueFor(info);
    }
    return inputs;
}

} // namespace cannery::tests
