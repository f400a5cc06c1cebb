// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/parsed_keys.h"
#include "storage/tf/example_codec.h"
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::tests;
using storage::Example;
using storage::FeatureValues;

/// ParseExampleV2: from serialized tf.Examples to sparse and dense tensors. Expected values are
/// those of tf.raw_ops.ParseExampleV2 of TensorFlow 2.15.1.
class TstParseOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sparseFeaturesKeepTheirPlaces();
    void absentSparseFeaturesAreEmpty();
    void denseFeaturesFillTheirShape();
    void absentDenseFeaturesAreTheirDefault();
    void otherTypesAndCountsAreRefused();
    void outputsAreInTheOrderOfTheirKeys();
    void noExamplesGiveNoRows();
    void inputsThatAreNoListOfExamplesAreRefused();
    void keysOfAGraphAreSorted();
};

namespace {

using Features = std::map<std::string, FeatureValues>;
using Floats = std::vector<float>;
using Words = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

HostTensor serialized(const std::vector<Features>& examples)
{
    Words texts;
    for (const Features& features : examples) {
        texts.push_back(storage::serializeExample({features}));
    }
    return HostTensor::ofStrings(std::move(texts));
}

HostTensor threeExamples()
{
    return serialized({{{"w", Words{"a", "b"}}, {"x", Floats{1.5F}}, {"n", Integers{7}}},
                       {{"x", Floats{2}}},
                       {{"w", Words{"c"}}, {"x", Floats{0.5F}}, {"n", Integers{8, 9}}}});
}

/// What is parsed; without a default a dense feature is required.
struct ParseRequest
{
    Words sparse;
    std::vector<DType> sparseTypes;
    Words dense;
    std::vector<DType> denseTypes;
    std::vector<Shape> shapes;
    Tensors defaults;

    Result<Tensors> of(const HostTensor& examples, const Words& names = {}) const
    {
        Tensors inputs{examples, HostTensor::ofStrings(names), HostTensor::ofStrings(sparse),
                       HostTensor::ofStrings(dense), HostTensor::ofStrings({})};
        inputs.insert(inputs.end(), defaults.begin(), defaults.end());
        return runOp("ParseExampleV2", inputs,
                     {{"sparse_types", sparseTypes},
                      {"Tdense", denseTypes},
                      {"dense_shapes", shapes},
                      {"num_sparse", static_cast<std::int64_t>(sparse.size())}});
    }
};

ParseRequest sparse(const std::string& key, DType type)
{
    return {.sparse = {key}, .sparseTypes = {type}};
}

ParseRequest dense(DType type, Shape shape, HostTensor fallback)
{
    return {.dense = {"x"},
            .denseTypes = {type},
            .shapes = {std::move(shape)},
            .defaults = {std::move(fallback)}};
}

ParseRequest denseFloat(Shape shape)
{
    return dense(DType::Float32, std::move(shape), listOf<float>({}));
}

} // namespace

void TstParseOps::sparseFeaturesKeepTheirPlaces()
{
    const auto words = sparse("w", DType::String).of(threeExamples());
    VERIFY_GIVES(words, 0U, tensorOf<std::int64_t>({0, 0, 0, 1, 2, 0}, {3, 2}));
    VERIFY_GIVES(words, 1U, HostTensor::ofStrings({"a", "b", "c"}));
    VERIFY_GIVES(words, 2U, listOf<std::int64_t>({3, 2}));
    const auto numbers = sparse("n", DType::Int64).of(threeExamples());
    VERIFY_GIVES(numbers, 0U, tensorOf<std::int64_t>({0, 0, 2, 0, 2, 1}, {3, 2}));
    VERIFY_GIVES(numbers, 1U, listOf<std::int64_t>({7, 8, 9}));
}

void TstParseOps::absentSparseFeaturesAreEmpty()
{
    const HostTensor none = tensorOf<std::int64_t>({}, {0, 2});
    const auto unknown = sparse("z", DType::Float32).of(threeExamples());
    VERIFY_GIVES(unknown, 0U, none);
    VERIFY_GIVES(unknown, 1U, listOf<float>({}));
    VERIFY_GIVES(unknown, 2U, listOf<std::int64_t>({3, 0}));
    // A feature without a kind is of every kind, an empty list of its own.
    const HostTensor kindless = serialized({{{"w", FeatureValues()}}});
    VERIFY_GIVES(sparse("w", DType::String).of(kindless), 2U, listOf<std::int64_t>({1, 0}));
    const HostTensor empty = serialized({{{"w", Floats{}}}});
    VERIFY_GIVES(sparse("w", DType::Float32).of(empty), 0U, none);
    VERIFY_REFUSES(sparse("w", DType::String).of(empty));
}

void TstParseOps::denseFeaturesFillTheirShape()
{
    VERIFY_GIVES(denseFloat({1}).of(threeExamples()), 0U, tensorOf<float>({1.5F, 2, 0.5F}, {3, 1}));
    VERIFY_GIVES(denseFloat({}).of(threeExamples()), 0U, listOf<float>({1.5F, 2, 0.5F}));
    const HostTensor square = serialized({{{"x", Integers{1, 2, 3, 4}}}});
    VERIFY_GIVES(dense(DType::Int64, {2, 2}, listOf<std::int64_t>({})).of(square), 0U,
                 tensorOf<std::int64_t>({1, 2, 3, 4}, {1, 2, 2}));
}

void TstParseOps::absentDenseFeaturesAreTheirDefault()
{
    const HostTensor second = serialized({{{"x", Floats{1, 2}}}, {}, {{"x", FeatureValues()}}});
    VERIFY_GIVES(dense(DType::Float32, {2}, listOf<float>({8, 9})).of(second), 0U,
                 tensorOf<float>({1, 2, 8, 9, 8, 9}, {3, 2}));
    const HostTensor word = serialized({{{"x", Words{"q"}}}, {}});
    VERIFY_GIVES(dense(DType::String, {1}, HostTensor::ofStrings({"d"})).of(word), 0U,
                 HostTensor::ofStrings({"q", "d"}, {2, 1}));
    VERIFY_REFUSES(denseFloat({2}).of(second));
    // A default of another shape is refused even if every row has a value.
    const HostTensor full = serialized({{{"x", Floats{1, 2}}}});
    VERIFY_REFUSES(dense(DType::Float32, {2}, HostTensor::scalar(8.0F)).of(full));
    VERIFY_REFUSES(dense(DType::Float32, {2}, listOf<float>({8})).of(full));
    VERIFY_REFUSES(dense(DType::Float32, {2}, listOf<std::int64_t>({8, 9})).of(full));
}

void TstParseOps::otherTypesAndCountsAreRefused()
{
    VERIFY_REFUSES(sparse("w", DType::Int64).of(threeExamples()));
    VERIFY_REFUSES(sparse("x", DType::Float64).of(threeExamples()));
    const ParseRequest one = dense(DType::Float32, {1}, listOf<float>({3}));
    VERIFY_REFUSES(one.of(serialized({{{"x", Floats{1, 2}}}})));
    VERIFY_REFUSES(one.of(serialized({{{"x", Floats{}}}})));
    VERIFY_REFUSES(one.of(serialized({{{"x", Integers{1}}}})));
    ParseRequest untyped = sparse("w", DType::String);
    untyped.sparseTypes.clear();
    VERIFY_REFUSES(untyped.of(threeExamples()));
}

void TstParseOps::outputsAreInTheOrderOfTheirKeys()
{
    ParseRequest all = denseFloat({1});
    all.sparse = {"w", "n"};
    all.sparseTypes = {DType::String, DType::Int64};
    const auto outputs = all.of(threeExamples());
    VERIFY_OK(outputs);
    QCOMPARE(outputs->size(), 7U);
    VERIFY_GIVES(outputs, 0U, tensorOf<std::int64_t>({0, 0, 0, 1, 2, 0}, {3, 2}));
    VERIFY_GIVES(outputs, 1U, tensorOf<std::int64_t>({0, 0, 2, 0, 2, 1}, {3, 2}));
    VERIFY_GIVES(outputs, 2U, HostTensor::ofStrings({"a", "b", "c"}));
    VERIFY_GIVES(outputs, 3U, listOf<std::int64_t>({7, 8, 9}));
    VERIFY_GIVES(outputs, 4U, listOf<std::int64_t>({3, 2}));
    VERIFY_GIVES(outputs, 5U, listOf<std::int64_t>({3, 2}));
    VERIFY_GIVES(outputs, 6U, tensorOf<float>({1.5F, 2, 0.5F}, {3, 1}));
}

void TstParseOps::noExamplesGiveNoRows()
{
    ParseRequest both = denseFloat({1});
    both.sparse = {"w"};
    both.sparseTypes = {DType::String};
    const auto outputs = both.of(serialized({}));
    VERIFY_GIVES(outputs, 0U, tensorOf<std::int64_t>({}, {0, 2}));
    VERIFY_GIVES(outputs, 1U, HostTensor::ofStrings({}));
    VERIFY_GIVES(outputs, 2U, listOf<std::int64_t>({0, 0}));
    VERIFY_GIVES(outputs, 3U, tensorOf<float>({}, {0, 1}));
}

void TstParseOps::inputsThatAreNoListOfExamplesAreRefused()
{
    const ParseRequest words = sparse("w", DType::String);
    QVERIFY(!words.of(HostTensor::ofStrings({"\x05garbage"})));
    VERIFY_REFUSES(words.of(listOf<float>({1})));
    VERIFY_REFUSES(words.of(HostTensor::ofStrings({"", ""}, {1, 2})));
    // For TensorFlow a single text gives tensors without a dimension for rows.
    VERIFY_REFUSES(words.of(HostTensor::scalarString("")));
    VERIFY_REFUSES(words.of(threeExamples(), {"one"}));
    VERIFY_OK(words.of(threeExamples(), {"one", "two", "three"}));
}

void TstParseOps::keysOfAGraphAreSorted()
{
    const auto constant = [](const std::string& name, HostTensor value) {
        return storage::GraphNode{.name = name,
                                  .op = "Const",
                                  .inputs = {},
                                  .controls = {},
                                  .attrs = {{"value", std::move(value)}}};
    };
    const std::vector<storage::GraphNode> nodes{
        constant("sparse", HostTensor::ofStrings({"w", "a"})),
        constant("dense", HostTensor::ofStrings({"x", "b"})),
        constant("none", listOf<float>({})),
        constant("five", listOf<float>({5})),
        {.name = "parse",
         .op = "ParseExampleV2",
         .inputs = {"rows", "names", "sparse", "dense:0", "ragged", "none", "five"},
         .controls = {},
         .attrs = {{"sparse_types", std::vector<DType>{DType::String, DType::Int64}},
                   {"Tdense", std::vector<DType>{DType::Float32, DType::Float32}},
                   {"dense_shapes", std::vector<Shape>{{2}, {1}}}}}};
    const auto features = exporting::parsedFeatures(nodes);
    Words keys;
    Words required;
    for (const exporting::ParsedFeature& feature : features) {
        keys.push_back(feature.key);
        if (feature.isRequired()) {
            required.push_back(feature.key);
        }
    }
    QCOMPARE(keys, (Words{"a", "b", "w", "x"}));
    QCOMPARE(required, Words{"x"});
    QVERIFY(features[0].isList && features[2].isList);
    QCOMPARE(features[1].fallback->values<float>()[0], 5.0F);
    QVERIFY(features[3].shape == Shape{2});
    const std::map<std::string, DType> types{
        {"a", DType::Int64}, {"b", DType::Float32}, {"w", DType::String}, {"x", DType::Float32}};
    QVERIFY(exporting::parsedKeys(nodes) == types);
    QVERIFY(exporting::parsedFeatures({}).empty());
}

CANNERY_TEST(TstParseOps)
#include "tst_parse_ops.moc"
