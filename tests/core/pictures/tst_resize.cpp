// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/images/operation_calls.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::pictures;
using namespace cannery::tests;

/// Operations of tf.image, against TensorFlow 2.15.1.
class TstResize : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsTensorFlow_data();
    void equalsTensorFlow();
    void narrowValuesGiveTheSame();
};

void TstResize::equalsTensorFlow_data()
{
    QTest::addColumn<QJsonValue>("call");
    for (const QJsonValue& call : goldenList(kPictureGoldens + "operations.json", "calls")) {
        const QByteArray arguments =
            QJsonDocument(call["arguments"].toObject()).toJson(QJsonDocument::Compact);
        QTest::addRow("%s of %s %s", qPrintable(call["op"].toString()),
                      qPrintable(call["input"].toString()), arguments.constData())
            << call;
    }
}

void TstResize::equalsTensorFlow()
{
    QFETCH(QJsonValue, call);
    const CallComparison comparison = compareOperation(kPictureGoldens, call.toObject());
    QVERIFY2(comparison.difference.isEmpty(), qPrintable(comparison.difference));
}

void TstResize::narrowValuesGiveTheSame()
{
    const GoldenArray input = goldenArray(kPictureGoldens + "operations.npz", "a005");
    const std::vector<std::uint8_t> bytes(input.values.begin(), input.values.end());
    const std::vector<std::uint16_t> words(input.values.begin(), input.values.end());
    const std::vector<float> floats(input.values.begin(), input.values.end());
    for (const bool antialias : {false, true}) {
        for (int method = 0; method <= static_cast<int>(ResizeMethod::MitchellCubic); ++method) {
            const ResizeOptions options{static_cast<ResizeMethod>(method), antialias};
            const auto of = [&](const auto& values) {
                return resizeWithPad(PictureView(values.data(), 6, 8, 3), 5, 4, options).values;
            };
            QCOMPARE(of(bytes), of(floats));
            QCOMPARE(of(words), of(floats));
        }
    }
}

CANNERY_TEST(TstResize)
#include "tst_resize.moc"
