// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <cmath>
#include <deque>
#include <set>

using namespace cannery;

/// Layers of attention, of activation with parameters, and of noise: what they refuse, and what
/// training does to rows.
class TstAttentionLayers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusesWhatDoesNotFit_data();
    void refusesWhatDoesNotFit();
    void namesVariablesAsKerasDoes();
    void passesThroughOutsideTraining_data();
    void passesThroughOutsideTraining();
    void spatialDropoutDropsWholeChannels();
    void masksHaveNoGradient();
};

namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

std::unique_ptr<layers::Layer> layerOf(const std::string& text)
{
    spec::Layer message;
    if (!google::protobuf::TextFormat::ParseFromString(text, &message)) {
        qFatal("not a layer: %s", text.c_str());
    }
    return *layers::makeLayer(message);
}

std::deque<graph::Value> valuesOf(const Shapes& shapes)
{
    std::deque<graph::Value> values;
    for (const std::vector<std::int64_t>& shape : shapes) {
        graph::Value value{.name = "v" + std::to_string(values.size())};
        value.width = Shape(shape).elementCount();
        value.shape = shape.size() > 1 ? shape : std::vector<std::int64_t>();
        values.push_back(std::move(value));
    }
    return values;
}

Result<layers::LayerSignature> signatureOf(const layers::Layer& layer, const Shapes& shapes)
{
    const std::deque<graph::Value> values = valuesOf(shapes);
    std::vector<const graph::Value*> inputs;
    for (const graph::Value& value : values) {
        inputs.push_back(&value);
    }
    return layer.signature(inputs);
}

/// A layer without variables on rows of numbers 1, 2, 3 …, and its gradient for ones.
class Run
{
public:
    Run(const std::string& text, const Shapes& shapes, std::int64_t rows)
        : m_rows(rows), m_layer(layerOf(text))
    {
        const auto signature = signatureOf(*m_layer, shapes);
        for (const graph::Value& value : valuesOf(shapes)) {
            bind(m_inputs.emplace_back(), value);
        }
        bind(m_output, signature->output);
        for (const layers::ValueBuffer& input : m_inputs) {
            m_buffers.inputs.push_back(&input);
        }
        m_buffers.output = &m_output;
        m_buffers.maxRows = rows;
        m_layer->prepare(m_buffers);
    }

    std::span<float> input(std::size_t index) { return m_inputs[index].output(m_rows).flat(); }
    std::span<float> output() { return m_output.output(m_rows).flat(); }
    std::span<float> gradient(std::size_t index) { return m_inputs[index].gradient(m_rows).flat(); }

    void pass(layers::Mode mode, std::uint64_t step = 1)
    {
        kernels::ThreadPool pool(2);
        std::vector<layers::Worker> workers(2);
        const layers::StepContext context{.pool = pool,
                                          .workers = workers,
                                          .mode = mode,
                                          .rows = m_rows,
                                          .seed = 5,
                                          .step = step};
        m_layer->forward(context);
        std::ranges::fill(m_output.gradient(m_rows).flat(), 1.0F);
        m_layer->backward(context);
    }

private:
    void bind(layers::ValueBuffer& buffer, const graph::Value& value)
    {
        buffer.width = value.width;
        buffer.shape = graph::rowShape(value);
        const auto size = static_cast<std::size_t>(m_rows * value.width);
        std::vector<float>& numbers = m_memory.emplace_back(size);
        for (std::size_t i = 0; i < size; ++i) {
            numbers[i] = static_cast<float>(i + 1);
        }
        buffer.writable = numbers.data();
        buffer.data = buffer.writable;
        buffer.grad = m_memory.emplace_back(size, 777.0F).data();
    }

    std::int64_t m_rows;
    std::unique_ptr<layers::Layer> m_layer;
    std::deque<std::vector<float>> m_memory; ///< grows without moving
    std::deque<layers::ValueBuffer> m_inputs;
    layers::ValueBuffer m_output;
    layers::LayerBuffers m_buffers;
};

} // namespace

void TstAttentionLayers::refusesWhatDoesNotFit_data()
{
    QTest::addColumn<QString>("layer");
    QTest::addColumn<Shapes>("shapes");
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* layer, const Shapes& shapes, const char* id,
                        const char* sentence) {
        QTest::newRow(name) << QString(layer) << shapes << QString(id) << QString(sentence);
    };
    row("one input", "attention {}", {{3, 4}}, "layers.input_count",
        "A layer attention takes 2 to 5 input(s), not 1.");
    row("a vector", "attention {}", {{3, 4}, {4}}, "layers.attention_rank",
        "A layer attention reads sequences, rows of shape [steps, width], and rows of 'v1' have "
        "the shape [4]: put a reshape before it.");
    row("an image", "additive_attention {}", {{3, 4, 2}, {3, 2}}, "layers.attention_rank",
        "A layer additive_attention reads sequences, rows of shape [steps, width], and rows of "
        "'v0' have the shape [3, 4, 2]: put a reshape before it.");
    row("other widths", "attention {}", {{3, 4}, {5, 2}}, "layers.attention_widths",
        "The query 'v0' of shape [3, 4] does not match the key 'v1' of shape [5, 2]: both need the "
        "same width, such as by a dense layer before one of them.");
    row("other steps", "multi_head_attention { num_heads: 1 key_dim: 2 }", {{3, 4}, {5, 2}, {4, 2}},
        "layers.attention_steps",
        "The key 'v2' of shape [4, 2] does not belong to the value 'v1' of shape [5, 2]: both need "
        "the same number of steps.");
    row("a mask of other steps", "attention {}", {{3, 2}, {5, 2}, {5, 2}, {3}},
        "layers.attention_mask",
        "The mask 'v3' has rows of shape [3], and a layer attention needs one of shape [5] or [3, "
        "5].");
    row("a long sequence", "attention {}", {{1, 1}, {50000, 1}}, "layers.attention_length",
        "'v1' has 50000 steps, and a layer attention weighs 43690 at most: make the sequence "
        "shorter, such as by a pooling.");
    row("more numbers than there are",
        "multi_head_attention { num_heads: 65536 key_dim: 2147483647 }", {{300, 200}, {300, 200}},
        "layers.attention_numbers",
        "A layer multi_head_attention would make 1.69e+17 numbers of each row of 'v0', by kernels "
        "of 5.63e+16 numbers: give it fewer heads, or narrower keys and values.");
    row("a slope of a dimension that is not there", "prelu { shared_axes: 3 }", {{3, 2}},
        "layers.prelu_axis",
        "Rows of 'v0' have 2 dimensions ([3, 2]), and shared_axes names dimension 3: name "
        "dimensions from 1 to 2.");
    row("a softmax along the batch", "softmax { axis: 0 }", {{3, 2}}, "layers.axis",
        "A layer softmax has no dimension 0 to work along: rows of 'v0' have the shape [3, 2]. "
        "Give "
        "one from 1 to 2, or from -2 to -1.");
    row("a dimension twice", "softmax { axis: 2 axis: -1 }", {{3, 2}}, "layers.axis_twice",
        "A layer softmax is given dimension -1 of 'v0', of shape [3, 2], twice; name each "
        "dimension "
        "once.");
    row("a mask of another shape", "softmax {}", {{3, 2}, {6}}, "layers.softmax_mask",
        "The mask 'v1' has rows of shape [6], and 'v0' of shape [3, 2]: a mask needs the shape of "
        "what it hides.");
    row("channels of a vector", "spatial_dropout_1d { rate: 0.5 }", {{6}},
        "layers.spatial_dropout_rank",
        "A layer spatial_dropout_1d drops channels of sequences ([steps, channels]), and rows of "
        "'v0' have the shape [6]: put a reshape before it, or take dropout.");
}

void TstAttentionLayers::refusesWhatDoesNotFit()
{
    QFETCH(QString, layer);
    QFETCH(Shapes, shapes);
    QFETCH(QString, id);
    QFETCH(QString, sentence);
    const auto signature = signatureOf(*layerOf(layer.toStdString()), shapes);
    QVERIFY(!signature);
    QCOMPARE(QString::fromStdString(signature.error().id), id);
    QCOMPARE(QString::fromStdString(signature.error().message()), sentence);
}

void TstAttentionLayers::namesVariablesAsKerasDoes()
{
    const auto variablesOf = [](const char* layer, const Shapes& shapes) {
        std::string text;
        const auto signature = signatureOf(*layerOf(layer), shapes);
        for (const layers::LayerVariable& variable : signature->variables) {
            text += variable.suffix + variable.shape.toString() + " ";
        }
        return text + Shape(signature->output.shape).toString();
    };
    QCOMPARE(
        variablesOf("multi_head_attention { num_heads: 2 key_dim: 3 value_dim: 5 }",
                    {{4, 6}, {7, 8}}),
        std::string("query/kernel[6, 2, 3] query/bias[2, 3] key/kernel[8, 2, 3] key/bias[2, 3] "
                    "value/kernel[8, 2, 5] value/bias[2, 5] attention_output/kernel[2, 5, 6] "
                    "attention_output/bias[6] [4, 6]"));
    QCOMPARE(variablesOf("multi_head_attention { num_heads: 1 key_dim: 3 output_width: 2 use_bias: "
                         "false }",
                         {{4, 5, 6}, {7, 8}}),
             std::string("query/kernel[6, 1, 3] key/kernel[8, 1, 3] value/kernel[8, 1, 3] "
                         "attention_output/kernel[1, 3, 2] [4, 5, 2]"));
    QCOMPARE(variablesOf("attention { use_scale: true score_mode: concat }", {{4, 6}, {7, 6}}),
             std::string("scale[] concat_score_weight[] [4, 6]"));
    QCOMPARE(variablesOf("additive_attention {}", {{4, 6}, {7, 2}, {7, 6}}),
             std::string("scale[6] [4, 2]"));
    QCOMPARE(variablesOf("prelu { shared_axes: [1, 2] }", {{4, 3, 2}}),
             std::string("alpha[1, 1, 2] [4, 3, 2]"));
}

void TstAttentionLayers::passesThroughOutsideTraining_data()
{
    QTest::addColumn<QString>("layer");
    for (const char* layer : {"dropout { rate: 0.5 }", "spatial_dropout_1d { rate: 0.5 }",
                              "gaussian_noise { stddev: 1 }", "gaussian_dropout { rate: 0.5 }",
                              "alpha_dropout { rate: 0.5 }"}) {
        QTest::newRow(layer) << QString(layer);
    }
}

void TstAttentionLayers::passesThroughOutsideTraining()
{
    QFETCH(QString, layer);
    Run run(layer.toStdString(), {{3, 2}}, 4);
    run.pass(layers::Mode::Evaluate);
    QVERIFY(std::ranges::equal(run.output(), run.input(0)));
    QVERIFY(std::ranges::all_of(run.gradient(0), [](float grad) { return grad == 1.0F; }));
    run.pass(layers::Mode::Train, 1);
    const std::vector<float> first(run.output().begin(), run.output().end());
    QVERIFY(!std::ranges::equal(first, run.input(0)));
    run.pass(layers::Mode::Train, 2);
    QVERIFY(!std::ranges::equal(first, run.output()));
    run.pass(layers::Mode::Train, 1);
    QVERIFY(std::ranges::equal(first, run.output()));
}

void TstAttentionLayers::spatialDropoutDropsWholeChannels()
{
    Run run("spatial_dropout_2d { rate: 0.25 }", {{3, 2, 8}}, 50);
    run.input(0)[0] = std::numeric_limits<float>::infinity();
    run.pass(layers::Mode::Train);
    int dropped = 0;
    for (std::size_t row = 0; row < 50; ++row) {
        for (std::size_t channel = 0; channel < 8; ++channel) {
            std::set<float> factors;
            for (std::size_t pixel = 0; pixel < 6; ++pixel) {
                const std::size_t at = (row * 6 + pixel) * 8 + channel;
                factors.insert(run.gradient(0)[at]);
                const float value = run.input(0)[at];
                const float grad = run.gradient(0)[at];
                QCOMPARE(run.output()[at], grad == 0.0F ? 0.0F : value * grad);
            }
            QCOMPARE(factors.size(), std::size_t{1});
            dropped += *factors.begin() == 0.0F ? 1 : 0;
            QVERIFY(*factors.begin() == 0.0F || std::abs(*factors.begin() - 4.0F / 3) < 1e-6F);
        }
    }
    // A quarter of 400, within four standard deviations.
    QVERIFY2(dropped > 65 && dropped < 135, qPrintable(QString::number(dropped)));
}

void TstAttentionLayers::masksHaveNoGradient()
{
    Run attention("attention {}", {{2, 2}, {3, 2}, {3, 2}, {3}, {2}}, 2);
    attention.input(3)[0] = 0.0F;
    attention.input(4)[1] = 0.0F;
    attention.pass(layers::Mode::Train);
    for (const std::size_t mask : {3U, 4U}) {
        QVERIFY(std::ranges::all_of(attention.gradient(mask), [](float g) { return g == 0.0F; }));
    }
    // The second step of the first row's query is hidden.
    QCOMPARE(attention.output()[2], 0.0F);
    QCOMPARE(attention.output()[3], 0.0F);
    QVERIFY(attention.output()[0] > 0.0F);
    Run softmax("softmax {}", {{2, 2}, {2, 2}}, 1);
    softmax.input(1)[0] = 0.0F;
    softmax.pass(layers::Mode::Train);
    QCOMPARE(softmax.output()[0], 0.0F);
    QCOMPARE(softmax.output()[1], 1.0F);
    QVERIFY(std::ranges::all_of(softmax.gradient(1), [](float g) { return g == 0.0F; }));
}

CANNERY_TEST(TstAttentionLayers)
#include "tst_attention_layers.moc"
