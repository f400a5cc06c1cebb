// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/saved_model_reader.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/small_model.h"

namespace cannery::tests {

using namespace cannery::storage;

namespace {

void runSignatures(const std::string& folder)
{
    auto runner = exporting::GraphRunner::load(folder);
    if (!runner) {
        return;
    }
    runner->parsedKeys();
    for (const auto& [name, signature] : runner->signatures()) {
        const auto outputs = runner->run(name, inputsFor(signature));
        if (!outputs) {
            continue;
        }
        for (const auto& [key, tensor] : *outputs) {
            const auto count = static_cast<std::size_t>(tensor.shape.elementCount());
            FUZZ_REQUIRE(tensor.dtype == DType::String
                             ? tensor.strings.size() == count
                             : tensor.bytes.size() == count * byteSize(tensor.dtype));
        }
    }
}

} // namespace

/// The file saved_model.pb: read, checked, loaded, and run with small inputs.
void fuzzSavedModel(std::string_view bytes)
{
    static const SmallModel model;
    model.write("saved_model.pb", bytes);
    (void)checkSavedModel(model.folder());
    runSignatures(model.folder());
}

/// The same as protobuf text.
void fuzzSavedModelText(std::string_view bytes)
{
    static const SmallModel model;
    model.write("saved_model.pbtxt", bytes);
    (void)checkSavedModel(model.folder());
}

} // namespace cannery::tests
