// SPDX-License-Identifier: Apache-2.0
#include "core/spec/networks/token_catalog.h"
#include "core/spec/spec_validator.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

using namespace cannery;

/// Columns whose numbers are ids, and what cannot be one.
class TstTokenColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void idsAreCountedByTheSmallestTable();
    void numbersPassThroughLayersThatKeepThem();
    void saysWhatMakesNoIds();
};

namespace {

spec::Experiment networkExperiment(const std::string& layers)
{
    spec::Experiment experiment;
    const std::string text =
        "data { train { csv { files: 'a.csv' } } label { column: 'y' } } "
        "feature_column { name: 'w' numeric_column { key: 'w' shape: 4 } }"
        "feature_column { name: 'x' numeric_column { key: 'x' } }"
        "feature_column { name: 'c' categorical_column_with_hash_bucket { key: 'c' "
        "hash_bucket_size: 3 } } feature_column { name: 'i' indicator_column { "
        "categorical_column: 'c' } }"
        "estimator { custom_estimator { head { regression_head {} } feature_columns: ['w', 'x'] "
        "feature_columns: 'i' optimizer { adam {} } graph { " +
        layers + " } } }";
    if (!google::protobuf::TextFormat::ParseFromString(text, &experiment)) {
        qFatal("not an experiment");
    }
    return experiment;
}

const std::string kWords = "layer { name: 'in' input_layer { feature_columns: 'w' } }";
const std::string kTokens = " token_embedding { input_dim: 5 output_dim: 2 } }";

std::vector<std::string> problemsOf(const std::string& layers)
{
    std::vector<std::string> ids;
    for (const spec::Problem& problem : spec::validate(networkExperiment(layers))) {
        if (problem.error.id.starts_with("spec.token_")) {
            ids.push_back(problem.error.id);
        }
    }
    return ids;
}

} // namespace

void TstTokenColumns::idsAreCountedByTheSmallestTable()
{
    const spec::Experiment experiment = networkExperiment(
        kWords + "layer {" + kTokens +
        "layer { inputs: 'in' token_embedding { input_dim: 3 output_dim: 2 } }"
        "layer { name: 'other' input_layer { feature_columns: 'x' } }"
        "layer { inputs: ['token_embedding', 'token_embedding_1', 'other'] concatenate {} }");
    QCOMPARE(spec::tokenIdsOf(experiment, "w"), std::optional<std::int64_t>(3));
    QVERIFY(!spec::tokenIdsOf(experiment, "x"));
    QVERIFY(!spec::tokenIdsOf(networkExperiment(kWords), "w"));
}

void TstTokenColumns::numbersPassThroughLayersThatKeepThem()
{
    const std::string layers =
        kWords +
        "layer { name: 'two' reshape { target_shape: [2, 2] } }"
        "layer { permute { dims: [2, 1] } } layer { name: 'long' zero_padding_1d {} }"
        "layer { inputs: ['long', 'two'] concatenate { axis: 1 } } layer {" +
        kTokens + "layer { flatten {} } layer { dense { units: 1 } }";
    QCOMPARE(spec::tokenIdsOf(networkExperiment(layers), "w"), std::optional<std::int64_t>(5));
    QCOMPARE(problemsOf(layers), std::vector<std::string>());
}

void TstTokenColumns::saysWhatMakesNoIds()
{
    const std::string end = "layer { flatten {} } layer { dense { units: 1 } }";
    QCOMPARE(problemsOf(kWords + "layer { dense { units: 2 } } layer {" + kTokens + end),
             (std::vector<std::string>{"spec.token_numbers"}));
    QCOMPARE(
        problemsOf("layer { input_layer { feature_columns: ['i', 'x'] } } layer {" + kTokens + end),
        (std::vector<std::string>{"spec.token_column"}));
    QCOMPARE(problemsOf("layer { input_layer {} } layer {" + kTokens + end),
             (std::vector<std::string>{"spec.token_column"}));
}

CANNERY_TEST(TstTokenColumns)
#include "tst_token_columns.moc"
