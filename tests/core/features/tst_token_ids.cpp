// SPDX-License-Identifier: Apache-2.0
#include "core/features/encoding_signature.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <fmt/core.h>
#include <google/protobuf/text_format.h>

using namespace cannery;
using namespace cannery::features;

/// Numbers that a token_embedding of the network takes as ids.
class TstTokenIds : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void otherNumbersAreBadRows();
    void normalizersMayMakeIds();
    void encodedRowsAreOfOneCountOfIds();
};

namespace {

Result<FeatureEncoder> encoderOfTokens(int ids, const std::string& normalizer = {})
{
    spec::Experiment experiment;
    const std::string text = fmt::format(
        "feature_column {{ name: 'w' numeric_column {{ key: 'word' {} }} }} estimator {{ "
        "custom_estimator {{ feature_columns: 'w' head {{ regression_head {{}} }} graph {{ layer "
        "{{ input_layer {{}} }} layer {{ token_embedding {{ input_dim: {} output_dim: 2 }} }} "
        "layer "
        "{{ flatten {{}} }} layer {{ dense {{ units: 1 }} }} }} }} }}",
        normalizer, ids);
    if (!google::protobuf::TextFormat::ParseFromString(text, &experiment)) {
        qFatal("not an experiment: %s", text.c_str());
    }
    return FeatureEncoder::create(experiment, ".");
}

Result<EncodedRows> encodedTokens(const FeatureEncoder& encoder, std::vector<float> numbers)
{
    const std::vector<std::string> files{"train.csv"};
    data::FeatureBatch batch;
    batch.rowCount = static_cast<std::int64_t>(numbers.size());
    for (std::int64_t row = 0; row < batch.rowCount; ++row) {
        batch.fileIndex.push_back(0);
        batch.line.push_back(row + 2);
    }
    data::FeatureValues words;
    words.name = "word";
    words.dtype = DType::Float32;
    words.elements = std::move(numbers);
    batch.features.push_back(std::move(words));
    return encoder.encode(batch, Labels::None, files);
}

} // namespace

void TstTokenIds::otherNumbersAreBadRows()
{
    const auto encoder = encoderOfTokens(4);
    VERIFY_OK(encoder);
    VERIFY_OK(encodedTokens(*encoder, {0, 3, 1}));
    const auto above = encodedTokens(*encoder, {3, 4});
    VERIFY_ERROR(above, "features.token_id");
    QVERIFY(above.error().sentence.starts_with("train.csv:3: 'word' is 4, which is no id of a "
                                               "token_embedding: ids are whole numbers from 0 to "
                                               "3. "));
    VERIFY_ERROR(encodedTokens(*encoder, {-1}), "features.token_id");
    VERIFY_ERROR(encodedTokens(*encoder, {0.5F}), "features.token_id");
}

void TstTokenIds::normalizersMayMakeIds()
{
    const auto encoder = encoderOfTokens(4, "normalizer { subtract_divide { divide: 2 } }");
    VERIFY_OK(encodedTokens(*encoder, {6}));
    VERIFY_ERROR(encodedTokens(*encoder, {5}), "features.token_id");
}

void TstTokenIds::encodedRowsAreOfOneCountOfIds()
{
    QVERIFY(encodingSignature(*encoderOfTokens(4)) != encodingSignature(*encoderOfTokens(5)));
}

CANNERY_TEST(TstTokenIds)
#include "tst_token_ids.moc"
