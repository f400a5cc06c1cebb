// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/convolution.h"
#include "kernels/ops/pooling.h"
#include "tests/golden/tables/golden_table.h"
#include "tests/kernels/kernel_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace cannery::kernels;
using namespace cannery::tests;

/// Convolutions and poolings of Keras's layers, by every implementation (tests/golden/pictures).
class TstPictureGoldens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithKeras_data();
    void agreesWithKeras();
};

namespace {

QString pictureGoldens()
{
    return qEnvironmentVariable(
        "CANNERY_PICTURE_GOLDENS",
        QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/pictures/cases.json"));
}

struct PictureTensor
{
    explicit PictureTensor(const QJsonValue& value) : values(numbersOf(value["values"]))
    {
        for (const QJsonValue size : value["shape"].toArray()) {
            shape.push_back(size.toInteger());
        }
        // Sequences are pictures of height 1.
        if (shape.size() == 3) {
            shape.insert(shape.begin() + 1, 1);
        }
    }

    ConstMatrixView images() const
    {
        const auto count = static_cast<std::int64_t>(values.size());
        return matrixView(std::span(values), shape[0], count / shape[0]);
    }

    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

/// One layer of Keras with what it computed.
struct PictureGolden
{
    explicit PictureGolden(const QJsonObject& object)
        : json(object), kind(object["class"].toString()), isTransposed(kind.contains("Transpose")),
          isPooling(kind.contains("Pooling")), src(object["src"]), dst(object["dst"]),
          srcGrad(object["srcGrad"]), dstGrad(dst.values.size()),
          tolerance(std::max(2e-6, 4 * object["noise"].toDouble()))
    {
        for (std::size_t i = 0; i < dstGrad.size(); ++i) {
            dstGrad[i] = (static_cast<float>((7 * i + 3) % 11) - 5) / 8;
        }
    }

    std::int64_t setting(const char* name, std::size_t axis, std::int64_t otherwise) const
    {
        const QJsonArray values = json[QLatin1String(name)].toArray();
        // Sequences have a setting for the width alone.
        const std::size_t missing = 2 - static_cast<std::size_t>(values.size());
        return values.isEmpty() || axis < missing
                   ? otherwise
                   : values[static_cast<qsizetype>(axis - missing)].toInteger();
    }

    /// Axis 0 is the height. A transposed convolution's large picture is its result.
    WindowAxis axis(std::size_t index, std::int64_t window) const
    {
        WindowAxis axis{.size = (isTransposed ? dst : src).shape[index + 1],
                        .window = window,
                        .stride = setting("strides", index, 1),
                        .dilation = setting("dilation_rate", index, 1)};
        const std::int64_t positions = (isTransposed ? src : dst).shape[index + 1];
        const QString padding = json["padding"].toString();
        const std::int64_t missing =
            std::max<std::int64_t>(0, (positions - 1) * axis.stride + axis.reach() - axis.size);
        if (padding == "same") {
            axis.before = missing / 2;
        } else if (padding == "causal") {
            axis.before = index == 1 ? axis.reach() - 1 : 0;
        }
        axis.after = std::max<std::int64_t>(0, missing - axis.before);
        return axis;
    }

    QJsonObject json;
    QString kind;
    bool isTransposed;
    bool isPooling;
    PictureTensor src;
    PictureTensor dst;
    PictureTensor srcGrad;
    std::vector<float> dstGrad;
    double tolerance;
};

void verifyPooling(const PictureGolden& golden)
{
    const PoolingProblem problem{.rule = golden.kind.startsWith("Max") ? PoolingRule::Max
                                                                       : PoolingRule::Average,
                                 .height = golden.axis(0, golden.setting("pool_size", 0, 1)),
                                 .width = golden.axis(1, golden.setting("pool_size", 1, 1)),
                                 .channels = golden.src.shape[3]};
    ThreadPool pool(2);
    for (const PoolingImplementation& row : poolingImplementations()) {
        Matrix dst(golden.src.shape[0], problem.dstFloats());
        Matrix srcGrad(golden.src.shape[0], problem.srcFloats());
        row.kernels->forward(problem, pool, golden.src.images(), dst.view());
        const ConstMatrixView result = dst.view();
        row.kernels->backward(problem, pool, golden.src.images(), result,
                              matrixView(std::span(golden.dstGrad), dst.rows, dst.cols),
                              srcGrad.view());
        VERIFY_CLOSE(dst.values, golden.dst.values, golden.tolerance, golden.tolerance);
        VERIFY_CLOSE(srcGrad.values, golden.srcGrad.values, golden.tolerance, golden.tolerance);
    }
}

/// The three passes of a layer, and those of the transposed one by the same functions.
void verifyConvolution(const PictureGolden& golden)
{
    const PictureTensor kernel(golden.json["kernel"]);
    const PictureTensor kernelGrad(golden.json["kernelGrad"]);
    const std::vector<float> bias = numbersOf(golden.json["bias"]["values"]);
    const bool isDepthwise = golden.kind.startsWith("Depthwise");
    const std::size_t axes = kernel.shape.size();
    // A kernel of a sequence has three axes, and so got a height before its second one.
    const std::int64_t kernelHeight = golden.kind.contains("1D") ? 1 : kernel.shape[0];
    const std::int64_t kernelWidth = golden.kind.contains("1D") ? kernel.shape[0] : kernel.shape[1];
    const ConvolutionProblem problem{
        .images = golden.src.shape[0],
        .height = golden.axis(0, kernelHeight),
        .width = golden.axis(1, kernelWidth),
        .inChannels = (golden.isTransposed ? golden.dst : golden.src).shape[3],
        .filters =
            isDepthwise ? kernel.shape[axes - 2] * kernel.shape[axes - 1] : kernel.shape[axes - 1],
        .groups = isDepthwise ? golden.src.shape[3] : golden.json["groups"].toInteger(1),
        .level = machineCpuLevel()};
    ThreadPool pool(2);
    for (const ConvolutionImplementation& row : convolutionImplementations()) {
        if (!row.refusal(problem).empty()) {
            continue;
        }
        const Convolution convolution(row, problem);
        if (!convolution.isPlanned()) {
            continue;
        }
        Matrix dst(golden.src.shape[0], golden.dst.images().cols);
        Matrix srcGrad(golden.src.shape[0], golden.src.images().cols);
        Matrix grad(1, static_cast<std::int64_t>(kernel.values.size()));
        const ConstMatrixView dstGrad = matrixView(std::span(golden.dstGrad), dst.rows, dst.cols);
        if (golden.isTransposed) {
            convolution.srcGradient(pool, golden.src.images(), kernel.values, dst.view());
            for (std::size_t i = 0; i < dst.values.size(); ++i) {
                dst.values[i] += bias[i % bias.size()];
            }
            convolution.forward(pool, dstGrad, kernel.values, {}, srcGrad.view());
            convolution.kernelGradient(pool, dstGrad, golden.src.images(), grad.values);
        } else {
            convolution.forward(pool, golden.src.images(), kernel.values, {.bias = bias},
                                dst.view());
            convolution.srcGradient(pool, dstGrad, kernel.values, srcGrad.view());
            convolution.kernelGradient(pool, golden.src.images(), dstGrad, grad.values);
        }
        VERIFY_CLOSE(dst.values, golden.dst.values, golden.tolerance, golden.tolerance);
        VERIFY_CLOSE(srcGrad.values, golden.srcGrad.values, golden.tolerance, golden.tolerance);
        VERIFY_CLOSE(grad.values, kernelGrad.values, golden.tolerance, golden.tolerance);
    }
}

} // namespace

void TstPictureGoldens::agreesWithKeras_data()
{
    QTest::addColumn<QJsonObject>("golden");
    QFile file(pictureGoldens());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray cases = QJsonDocument::fromJson(file.readAll())["cases"].toArray();
    QVERIFY(!cases.isEmpty());
    for (const QJsonValue golden : cases) {
        QTest::addRow("%s", qPrintable(golden["name"].toString())) << golden.toObject();
    }
}

void TstPictureGoldens::agreesWithKeras()
{
    QFETCH(QJsonObject, golden);
    const PictureGolden picture(golden);
    if (picture.isPooling) {
        verifyPooling(picture);
    } else {
        verifyConvolution(picture);
    }
}

CANNERY_TEST(TstPictureGoldens)
#include "tst_picture_goldens.moc"
