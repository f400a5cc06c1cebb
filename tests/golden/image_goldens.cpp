// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/image_goldens.h"

#include "tests/golden/images/decode_calls.h"
#include "tests/golden/images/operation_calls.h"
#include "tests/golden/layer_case.h"

#include <QTest>

#include <nlohmann/json.hpp>

namespace cannery::tests {

namespace fs = std::filesystem;

namespace {

/// Collects comparisons; what differs fails the test.
class Outcome
{
public:
    void add(const QString& call, const CallComparison& comparison)
    {
        if (!comparison.difference.isEmpty()) {
            m_differences << call + ": " + comparison.difference;
        } else if (!comparison.leftOut.isEmpty()) {
            m_leftOut[comparison.leftOut] << call;
            return;
        }
        ++m_compared;
    }

    void verify() const
    {
        QStringList reasons;
        for (auto reason = m_leftOut.begin(); reason != m_leftOut.end(); ++reason) {
            reasons << QString("%1 (%2): %3")
                           .arg(reason.key())
                           .arg(reason->size())
                           .arg(reason->join(", "));
        }
        qInfo("%d calls compared; left out:\n  %s", m_compared, qPrintable(reasons.join("\n  ")));
        QVERIFY2(m_differences.isEmpty(), qPrintable(m_differences.join("\n")));
        QVERIFY(m_compared > 0 || !m_leftOut.isEmpty());
    }

private:
    int m_compared = 0;
    QStringList m_differences;
    QMap<QString, QStringList> m_leftOut;
};

QString nameOf(const QString& about, const QJsonObject& call)
{
    QString arguments = QJsonDocument(call["arguments"].toObject()).toJson(QJsonDocument::Compact);
    return call["op"].toString() + " of " + about + " " + arguments;
}

/// As the tensors of a layer case, a batch of one picture.
nlohmann::json tensorOf(const GoldenArray& array)
{
    std::vector<std::int64_t> shape = array.shape;
    shape.insert(shape.begin(), 1);
    return {{"shape", shape}, {"values", array.values}};
}

/// A call of a layer of Keras, through our layer.
CallComparison compareLayer(const std::string& folder, const QJsonObject& call)
{
    const auto array = [&](const char* key) {
        return goldenArray(folder + "operations.npz", call[key].toString().toStdString());
    };
    const QByteArray arguments = QJsonDocument(call["arguments"].toObject()).toJson();
    // A call leaves out what get_config() has: Keras's defaults.
    nlohmann::json config{
        {"interpolation", "bilinear"}, {"crop_to_aspect_ratio", false}, {"offset", 0.0}};
    config.update(nlohmann::json::parse(arguments.toStdString()));
    const nlohmann::json layerCase{
        {"class", call["op"].toString().mid(7).toStdString()},
        {"config", config},
        {"inputs", {tensorOf(array("input"))}},
        {"outputs", {tensorOf(array("result"))}},
        {"input_gradients", nlohmann::json::array()},
        {"noise", nullptr},
        {"only_output", true},
    };
    const auto sentences = compareLayerCase(layerCase);
    if (!sentences) {
        return CallComparison::without("no layer of ours");
    }
    return {sentences->empty() ? QString() : QString::fromStdString(sentences->front()), {}};
}

} // namespace

void ImageGoldens::addRows(const char* file)
{
    QTest::addColumn<QString>("folder");
    for (const fs::path& folder : m_folders) {
        if (fs::exists(folder / "images" / file)) {
            QTest::newRow(folder.filename().c_str())
                << QString::fromStdString((folder / "images").string() + "/");
        }
    }
}

void ImageGoldens::decodes_data()
{
    addRows("decoded.json");
}

void ImageGoldens::decodes()
{
    QFETCH(QString, folder);
    Outcome outcome;
    for (const QJsonValue& entry : goldenList(folder.toStdString() + "decoded.json", "files")) {
        const QString file = entry["file"].toString();
        for (const QJsonValue& call : entry["calls"].toArray()) {
            outcome.add(nameOf(file, call.toObject()),
                        compareDecoding(folder.toStdString(), file, call.toObject()));
        }
    }
    outcome.verify();
}

void ImageGoldens::operates_data()
{
    addRows("operations.json");
}

void ImageGoldens::operates()
{
    QFETCH(QString, folder);
    Outcome outcome;
    for (const QJsonValue& call : goldenList(folder.toStdString() + "operations.json", "calls")) {
        outcome.add(nameOf(call["input"].toString(), call.toObject()),
                    compareOperation(folder.toStdString(), call.toObject()));
    }
    outcome.verify();
}

void ImageGoldens::layersOperate_data()
{
    addRows("operations.json");
}

void ImageGoldens::layersOperate()
{
    QFETCH(QString, folder);
    Outcome outcome;
    for (const QJsonValue& call : goldenList(folder.toStdString() + "operations.json", "calls")) {
        if (call["op"].toString().startsWith("layers.") && call["result"].isString()) {
            outcome.add(nameOf(call["input"].toString(), call.toObject()),
                        compareLayer(folder.toStdString(), call.toObject()));
        }
    }
    outcome.verify();
}

} // namespace cannery::tests
