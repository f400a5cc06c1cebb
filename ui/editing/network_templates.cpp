// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/network_templates.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_edit.h"
#include "ui/models/plan_facts.h"

namespace cannery::ui {
namespace {

constexpr int kPictureRank = 3;

/// A layer's text as an element of a graph: without what it reads.
QString elementOf(const ExperimentDocument& document, int layer)
{
    const NetworkOutline& network = document.edits().network();
    QByteArray text = document.text().toUtf8();
    QString ignored;
    const auto change =
        network.layers[layer].namesInputs
            ? editChange(
                  text,
                  {FieldEdit::remove(childPath(network.pathOf(layer), QStringLiteral("inputs")))},
                  ignored)
            : std::nullopt;
    text = change ? change->applied(text) : text;
    return QStringLiteral("layer ") + writtenAt(text, network.pathOf(layer));
}

QString inputOf(const QString& name, const QStringList& columns)
{
    return QStringLiteral("layer { name: %1 input_layer { feature_columns: %2 } }")
        .arg(quoted(name), quotedList(columns));
}

QString graphOf(const QStringList& layers)
{
    return QStringLiteral("{\n      ") + layers.join(QStringLiteral("\n      ")) +
           QStringLiteral("\n    }");
}

NetworkTemplate mlp(const NetworkEnds& ends)
{
    return {.id = QStringLiteral("mlp"),
            .title = NetworkTemplate::tr("Multilayer perceptron"),
            .sentence = NetworkTemplate::tr("Dense layers, one after the other."),
            .graph = graphOf({QStringLiteral("layer { input_layer {} }"),
                              QStringLiteral("layer { dense { units: 64 activation: relu } }"),
                              QStringLiteral("layer { dropout { rate: 0.2 } }"),
                              QStringLiteral("layer { dense { units: 32 activation: relu } }"),
                              ends.logits}),
            .hindrance = ends.columns.isEmpty()
                             ? NetworkTemplate::tr("It needs dense feature columns.")
                             : QString()};
}

NetworkTemplate wideAndDeep(const NetworkEnds& ends)
{
    return {
        .id = QStringLiteral("wide_deep"),
        .title = NetworkTemplate::tr("Wide and deep"),
        .sentence = NetworkTemplate::tr("What a linear model sees beside what hidden layers find."),
        .graph = graphOf(
            {QStringLiteral("layer { name: \"columns\" input_layer {} }"),
             QStringLiteral("layer { dense { units: 64 activation: relu } }"),
             QStringLiteral("layer { name: \"deep\" dense { units: 32 activation: relu } }"),
             QStringLiteral("layer { name: \"both\" inputs: [\"columns\", \"deep\"] "
                            "concatenate {} }"),
             ends.logits}),
        .hindrance = ends.columns.isEmpty() ? NetworkTemplate::tr("It needs dense feature columns.")
                                            : QString()};
}

NetworkTemplate twoTowers(const NetworkEnds& ends)
{
    const qsizetype half = (ends.columns.size() + 1) / 2;
    const QString tower =
        QStringLiteral("layer { inputs: %1 dense { units: 32 activation: relu } }");
    const QString top = QStringLiteral("layer { name: %1 dense { units: 16 activation: relu } }");
    const auto one = [](const char* name) { return quoted(QString::fromLatin1(name)); };
    return {.id = QStringLiteral("two_towers"),
            .title = NetworkTemplate::tr("Two towers"),
            .sentence =
                NetworkTemplate::tr("Two networks over different columns, joined at the top."),
            .graph = graphOf({inputOf(QStringLiteral("left"), ends.columns.mid(0, half)),
                              inputOf(QStringLiteral("right"), ends.columns.mid(half)),
                              tower.arg(one("left")), top.arg(one("left_top")),
                              tower.arg(one("right")), top.arg(one("right_top")),
                              QStringLiteral("layer { inputs: [\"left_top\", \"right_top\"] "
                                             "concatenate {} }"),
                              ends.logits}),
            .hindrance = ends.columns.size() < 2
                             ? NetworkTemplate::tr("It needs two dense feature columns.")
                             : QString()};
}

QString needsPicture(const NetworkEnds& ends)
{
    return ends.picture.isEmpty()
               ? NetworkTemplate::tr(
                     "It needs a layer that gives rows of height, width and channels: a column of "
                     "pictures, or a reshape behind the input.")
               : QString();
}

NetworkTemplate cnn(const NetworkEnds& ends)
{
    return {.id = QStringLiteral("cnn"),
            .title = NetworkTemplate::tr("Convolutional network"),
            .sentence = NetworkTemplate::tr("Filters over pictures, then dense layers."),
            .graph = graphOf(
                {ends.picture,
                 QStringLiteral("layer { conv_2d { filters: 16 kernel_size: 3 padding: same "
                                "activation: relu } }"),
                 QStringLiteral("layer { conv_2d { filters: 32 kernel_size: 3 padding: same "
                                "activation: relu } }"),
                 QStringLiteral("layer { max_pooling_2d { pool_size: 2 } }"),
                 QStringLiteral("layer { flatten {} }"),
                 QStringLiteral("layer { dropout { rate: 0.3 } }"),
                 QStringLiteral("layer { dense { units: 64 activation: relu } }"), ends.logits}),
            .hindrance = needsPicture(ends)};
}

NetworkTemplate residual(const NetworkEnds& ends)
{
    const QString convolution = QStringLiteral(
        "layer { conv_2d { filters: 32 kernel_size: 3 padding: same use_bias: false } }");
    return {.id = QStringLiteral("residual"),
            .title = NetworkTemplate::tr("Residual block"),
            .sentence =
                NetworkTemplate::tr("Convolutions that a shortcut leads around (He et al. 2016)."),
            .graph = graphOf(
                {ends.picture, convolution, QStringLiteral("layer { batch_normalization {} }"),
                 QStringLiteral("layer { name: \"before\" activation { function: relu } }"),
                 convolution, QStringLiteral("layer { batch_normalization {} }"),
                 QStringLiteral("layer { activation { function: relu } }"), convolution,
                 QStringLiteral("layer { name: \"changed\" batch_normalization {} }"),
                 QStringLiteral("layer { inputs: [\"before\", \"changed\"] add {} }"),
                 QStringLiteral("layer { activation { function: relu } }"),
                 QStringLiteral("layer { global_average_pooling_2d {} }"), ends.logits}),
            .hindrance = needsPicture(ends)};
}

NetworkTemplate lstm(const NetworkEnds& ends)
{
    return {.id = QStringLiteral("lstm"),
            .title = NetworkTemplate::tr("LSTM over a sequence"),
            .sentence = NetworkTemplate::tr("Reads step by step and keeps what matters."),
            .graph = graphOf({QStringLiteral("layer { sequence_input {} }"),
                              QStringLiteral("layer { lstm { units: 32 } }"),
                              QStringLiteral("layer { dropout { rate: 0.2 } }"), ends.logits}),
            .hindrance = ends.sequences.isEmpty()
                             ? NetworkTemplate::tr("It needs sequence columns.")
                             : QString()};
}

/// The texts in a list at a path.
QStringList textsAt(const ExperimentDocument& document, const QString& path)
{
    QStringList texts;
    if (const FieldNode* list = document.field(path)) {
        for (const FieldNode& element : list->children) {
            texts << element.text;
        }
    }
    return texts;
}

} // namespace

NetworkEnds endsOf(const ExperimentDocument& document, const PlanFacts& plan)
{
    NetworkEnds ends;
    const NetworkOutline& network = document.edits().network();
    if (network.isEmpty()) {
        return ends;
    }
    const QString estimator = network.path.section(u'.', 0, 1);
    ends.columns = textsAt(document, childPath(estimator, QStringLiteral("feature_columns")));
    ends.sequences =
        textsAt(document, childPath(estimator, QStringLiteral("sequence_feature_columns")));
    QStringList first;
    for (int layer = 0; layer + 1 < network.layers.size(); ++layer) {
        // A chain from the start: what stands elsewhere would need its connections, too.
        if (layer > 0 && network.layers[layer].inputs != QList<int>{layer - 1}) {
            break;
        }
        first << elementOf(document, layer);
        const PlanLayer* planned = plan.layer(network.layers[layer].name);
        if (planned != nullptr && planned->rank == kPictureRank) {
            ends.picture = first.join(QStringLiteral("\n      "));
            break;
        }
    }
    if (!network.layers.isEmpty()) {
        ends.logits = elementOf(document, static_cast<int>(network.layers.size()) - 1);
    }
    return ends;
}

QList<NetworkTemplate> networkTemplates(const NetworkEnds& ends)
{
    return {mlp(ends), wideAndDeep(ends), twoTowers(ends), cnn(ends), residual(ends), lstm(ends)};
}

} // namespace cannery::ui
