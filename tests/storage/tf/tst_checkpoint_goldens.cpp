// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "storage/tf/checkpoints/object_graph.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QCryptographicHash>
#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;
using nlohmann::json;

namespace {

const std::string kCheckpointGoldens = CANNERY_SOURCE_DIR "/tests/golden/checkpoint";

json manifest()
{
    return json::parse(*readWholeFile(kCheckpointGoldens + "/manifest.json"), nullptr, false);
}

std::string sha256(std::span<const std::byte> bytes)
{
    const QByteArray view = QByteArray::fromRawData(reinterpret_cast<const char*>(bytes.data()),
                                                    static_cast<qsizetype>(bytes.size()));
    return QCryptographicHash::hash(view, QCryptographicHash::Sha256).toHex().toStdString();
}

/// The strings of a manifest value, flattened.
std::vector<std::string> stringsOf(const json& value)
{
    if (value.is_array()) {
        std::vector<std::string> all;
        for (const json& item : value) {
            const std::vector<std::string> some = stringsOf(item);
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }
    if (value.is_object()) {
        const std::string encoded = value.at("base64");
        return {QByteArray::fromBase64(QByteArray::fromStdString(encoded)).toStdString()};
    }
    return {value.get<std::string>()};
}

} // namespace

class TstCheckpointGoldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyTensorOfTensorFlowComesBack_data();
    void everyTensorOfTensorFlowComesBack();
    void objectGraphsAreThoseOfTensorFlow_data() { everyTensorOfTensorFlowComesBack_data(); }
    void objectGraphsAreThoseOfTensorFlow();
    void rewrittenFilesAreTensorFlowsByteForByte_data();
    void rewrittenFilesAreTensorFlowsByteForByte();
};

void TstCheckpointGoldens::everyTensorOfTensorFlowComesBack_data()
{
    QTest::addColumn<std::string>("name");
    const json all = manifest();
    for (const auto& [name, about] : all.items()) {
        QTest::newRow(name.c_str()) << name;
    }
}

void TstCheckpointGoldens::everyTensorOfTensorFlowComesBack()
{
    QFETCH(std::string, name);
    const json tensors = manifest()[name]["tensors"];
    const auto prefix = latestCheckpoint(kCheckpointGoldens + "/" + name);
    VERIFY_OK(prefix);
    QVERIFY(prefix->has_value());
    const auto reader = CheckpointReader::open(**prefix);
    VERIFY_OK(reader);
    const std::size_t extra = isObjectBased(*reader) ? 1 : 0;
    QCOMPARE(reader->entries().size(), tensors.size() + extra);
    for (const auto& [key, about] : tensors.items()) {
        const CheckpointEntry* entry = reader->find(key);
        QVERIFY2(entry != nullptr, key.c_str());
        QCOMPARE(std::string(cannery::name(entry->dtype)), about["dtype"].get<std::string>());
        QCOMPARE(entry->shape.dims, about["shape"].get<std::vector<std::int64_t>>());
        const auto tensor = reader->read(key);
        VERIFY_OK(tensor);
        if (tensor->dtype == DType::String) {
            QCOMPARE(tensor->strings, stringsOf(about["value"]));
        } else {
            QCOMPARE(sha256(tensor->bytes), about["sha256"].get<std::string>());
        }
    }
}

void TstCheckpointGoldens::objectGraphsAreThoseOfTensorFlow()
{
    QFETCH(std::string, name);
    const json about = manifest()[name];
    const auto reader = CheckpointReader::open(**latestCheckpoint(kCheckpointGoldens + "/" + name));
    VERIFY_OK(reader);
    const auto graph = readObjectGraph(*reader);
    if (!about.contains("object_graph")) {
        VERIFY_ERROR(graph, "checkpoint.not_object_based");
        return;
    }
    VERIFY_OK(graph);
    QCOMPARE(graph->nodes.size(), about["object_graph"].size());
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
        json children = json::object();
        for (const auto& child : graph->nodes[i].children) {
            children[child.name] = child.node;
        }
        QVERIFY(children == about["object_graph"][i]["children"]);
        QCOMPARE(graph->nodes[i].slots.size(), about["object_graph"][i]["slots"].size());
    }
    // Breadth-first, the path found is the one that TensorFlow derived the key from.
    std::size_t variables = 0;
    for (const ObjectVariable& variable : objectVariables(*graph)) {
        QCOMPARE(variable.path + "/.ATTRIBUTES/VARIABLE_VALUE", variable.checkpointKey);
        ++variables;
    }
    QVERIFY(variables + 2 >= about["tensors"].size());
    QCOMPARE(findObject(*graph, {"no", "such"}), -1);
}

void TstCheckpointGoldens::rewrittenFilesAreTensorFlowsByteForByte_data()
{
    QTest::addColumn<std::string>("prefix");
    for (const char* prefix : {"all_dtypes/model.ckpt-7", "many_variables/model.ckpt-7"}) {
        QTest::newRow(prefix) << std::string(prefix);
    }
}

void TstCheckpointGoldens::rewrittenFilesAreTensorFlowsByteForByte()
{
    QFETCH(std::string, prefix);
    const auto reader = CheckpointReader::open(kCheckpointGoldens + "/" + prefix);
    VERIFY_OK(reader);
    std::vector<HostTensor> tensors;
    for (const CheckpointEntry& entry : reader->entries()) {
        tensors.push_back(*reader->read(entry.name));
    }
    std::vector<NamedTensor> named;
    for (std::size_t i = tensors.size(); i-- > 0;) {
        named.push_back({reader->entries()[i].name, tensors[i]});
    }
    const QTemporaryDir folder;
    const std::string copy = folder.filePath("copy").toStdString();
    VERIFY_OK(writeCheckpoint(copy, named));
    for (const char* suffix : {".index", ".data-00000-of-00001"}) {
        QVERIFY(*readWholeFile(copy + suffix) ==
                *readWholeFile(kCheckpointGoldens + "/" + prefix + suffix));
    }
}

CANNERY_TEST(TstCheckpointGoldens)
#include "tst_checkpoint_goldens.moc"
