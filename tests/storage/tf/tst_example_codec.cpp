// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/tf/example_codec.h"
#include "storage/tf/record_file.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

using namespace cannery;
using namespace cannery::storage;
using nlohmann::json;

class TstExampleCodec : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bytesAreCanonical();
    void examplesOfTensorFlowComeBack();
    void sequencesComeBack();
    void refusesWhatIsNoExample();
};

void TstExampleCodec::bytesAreCanonical()
{
    const Example example{{{"a", std::vector<float>{1.5F}},
                           {"b", std::vector<std::string>{"x"}},
                           {"c", std::vector<std::int64_t>{-1, 300}}}};
    const std::string bytes = serializeExample(example);
    QCOMPARE(QByteArray::fromStdString(bytes).toHex(),
             QByteArray("0a320a0d0a0161120812060a040000c03f0a0a0a016212050a030a01780a150a0163121"
                        "01a0e0a0cffffffffffffffffff01ac02"));
    QVERIFY(*parseExample(bytes) == example);
}

void TstExampleCodec::examplesOfTensorFlowComeBack()
{
    const std::string folder = CANNERY_SOURCE_DIR "/tests/golden/tfrecord/";
    const json manifest = json::parse(*readWholeFile(folder + "manifest.json"), nullptr, false);
    const json expected = manifest["example.tfrecord"]["decoded"];
    auto reader = RecordReader::open(folder + "example.tfrecord");
    for (const json& about : expected) {
        const auto example = parseExample(**reader->next());
        VERIFY_OK(example);
        json decoded = json::object();
        for (const auto& [name, values] : example->features) {
            decoded[name] = json::object();
            if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
                decoded[name]["float_list"] = *floats;
            } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&values)) {
                decoded[name]["int64_list"] = *integers;
            } else if (const auto* bytes = std::get_if<std::vector<std::string>>(&values)) {
                decoded[name]["bytes_list"] = json::array();
                for (const std::string& text : *bytes) {
                    decoded[name]["bytes_list"].push_back(
                        QByteArray::fromStdString(text).toBase64().toStdString());
                }
            }
        }
        QCOMPARE(decoded.dump(), about.dump());
        QVERIFY(*parseExample(serializeExample(*example)) == *example);
    }
    QVERIFY(!reader->next()->has_value());
}

void TstExampleCodec::sequencesComeBack()
{
    auto reader = RecordReader::open(CANNERY_SOURCE_DIR
                                     "/tests/golden/tfrecord/sequence_example.tfrecord.gz");
    for (std::int64_t i = 0; i < 4; ++i) {
        const auto example = parseSequenceExample(**reader->next());
        VERIFY_OK(example);
        QVERIFY(example->context.at("id") == FeatureValues(std::vector<std::int64_t>{i}));
        QCOMPARE(example->featureLists.at("tokens").size(), static_cast<std::size_t>(i));
        QVERIFY(*parseSequenceExample(serializeSequenceExample(*example)) == *example);
    }
}

void TstExampleCodec::refusesWhatIsNoExample()
{
    VERIFY_ERROR(parseExample("\x0a\x05x"), "tf.no_example");
    VERIFY_OK(parseExample(""));
}

CANNERY_TEST(TstExampleCodec)
#include "tst_example_codec.moc"
