// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/encoded_preview.h"

#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/painting.h"

#include <QHBoxLayout>
#include <QJsonObject>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr qsizetype kCellsShown = 8;
constexpr qint64 kIdsApart = 10;

QString cellText(const EncodedValueFacts& value, bool isId)
{
    if (value.weight) {
        return EncodedPreview::tr("id %1 × %2")
            .arg(formatCount(static_cast<qint64>(value.number)), formatNumber(*value.weight, 3));
    }
    if (!value.step.isEmpty()) {
        QStringList numbers;
        for (const double number : value.step) {
            numbers.append(formatNumber(number, 3));
        }
        return numbers.join(u' ');
    }
    return isId ? EncodedPreview::tr("id %1").arg(formatCount(static_cast<qint64>(value.number)))
                : formatNumber(value.number, 3);
}

struct Cell
{
    QString text;
    bool isOn = false; ///< whether it is the row's id
};

/// The values of one input as cells, coloured by kind: ids or numbers.
class Cells : public QWidget
{
public:
    Cells(const QList<Cell>& cells, bool isId) : m_cells(cells), m_isId(isId)
    {
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }

    QSize sizeHint() const override
    {
        int width = 0;
        for (const Cell& cell : m_cells) {
            width += cellWidth(cell.text) + 2;
        }
        return {std::max(width, scaled(24)), scaled(24)};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(textFont(TextRole::Badge));
        const QColor hue = tokens().series[m_isId ? 1 : 0];
        double x = 0;
        for (const Cell& cell : m_cells) {
            const QRectF box(x, 0, cellWidth(cell.text), height());
            const QColor ground = mixed(tokens().surface, hue, cell.isOn ? 0.75 : 0.14);
            paintSurface(painter, box, 4, ground);
            // By contrast, since the ground depends on the theme.
            const bool light =
                contrast(tokens().onAccent, ground) > contrast(tokens().text, ground);
            painter.setPen(light ? tokens().onAccent : tokens().text);
            paintWords(painter, box, Qt::AlignCenter, cell.text);
            x += box.width() + 2;
        }
    }

private:
    static int cellWidth(const QString& text)
    {
        return std::max(scaled(22),
                        QFontMetrics(textFont(TextRole::Badge)).horizontalAdvance(text) +
                            scaled(10));
    }

    QList<Cell> m_cells;
    bool m_isId;
};

/// Every id as 0, 1 or its weight if there are few, otherwise the ids themselves.
QList<Cell> idCells(const QList<EncodedValueFacts>& values, qint64 width)
{
    QList<Cell> cells;
    if (width > 0 && width <= kIdsApart) {
        cells.resize(width, {QStringLiteral("0"), false});
        for (const EncodedValueFacts& value : values) {
            const auto id = static_cast<qint64>(value.number);
            if (id >= 0 && id < width) {
                cells[id] = {value.weight ? formatNumber(*value.weight, 3) : QStringLiteral("1"),
                             true};
            }
        }
        return cells;
    }
    for (qsizetype i = 0; i < std::min(values.size(), kCellsShown); ++i) {
        cells.append({cellText(values[i], true), true});
    }
    return cells;
}

QList<Cell> numberCells(const QList<EncodedValueFacts>& values)
{
    QList<Cell> cells;
    for (qsizetype i = 0; i < std::min(values.size(), kCellsShown); ++i) {
        cells.append({cellText(values[i], false), false});
    }
    if (values.size() > kCellsShown) {
        cells.append({QStringLiteral("…"), false});
    }
    return cells;
}

} // namespace

EncodedPreview::EncodedPreview(QWidget* parent)
    : QWidget(parent), m_title(new Label({}, TextRole::LabelStrong)),
      m_back(new IconButton("chevron-left", tr("Previous row"))),
      m_forward(new IconButton("chevron-right", tr("Next row"))),
      m_problems(new Label({}, TextRole::Label, Ink::Error))
{
    setObjectName("preview.encoded");
    setAccessibleName(tr("Encoded preview"));
    m_back->setObjectName("button.previous_row");
    m_forward->setObjectName("button.next_row");
    auto* top = new QHBoxLayout;
    top->setSpacing(scaled(6));
    top->addWidget(new Label(tr("Encoded preview"), TextRole::Strong));
    top->addSpacing(scaled(8));
    top->addWidget(m_back);
    top->addWidget(m_title);
    top->addWidget(m_forward);
    top->addWidget(
        new Label(tr("what the model receives for a row"), TextRole::Label, Ink::Secondary), 1);
    auto* inputs = new QWidget;
    m_inputs = new FlowLayout(inputs, 16);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(10));
    column->addLayout(top);
    column->addWidget(m_problems);
    column->addWidget(inputs);
    m_problems->setObjectName("words.unencoded");
    m_problems->setWordWrap(true);
    connect(m_back, &QToolButton::clicked, this, [this] { show(m_row - 1); });
    connect(m_forward, &QToolButton::clicked, this, [this] { show(m_row + 1); });
    setPreview({});
}

void EncodedPreview::setPreview(const QJsonObject& preview)
{
    showProblems(columnProblemsFromJson(preview));
    const QJsonArray rows = preview.value("rows").toArray();
    // The row that is being looked at stays.
    if (rows == m_rows && !rows.isEmpty()) {
        return;
    }
    m_rows = rows;
    m_inputFacts.clear();
    for (const EncodedInputFacts& input : encodedInputsFromJson(preview)) {
        m_inputFacts.insert(input.name, input);
    }
    setVisible(!rows.isEmpty());
    show(0);
}

/// Columns that have the same problem together.
void EncodedPreview::showProblems(const QList<ColumnProblemFacts>& problems)
{
    QStringList sentences;
    QHash<QString, QStringList> columns;
    for (const ColumnProblemFacts& one : problems) {
        if (!columns.contains(one.problem)) {
            sentences.append(one.problem);
        }
        columns[one.problem].append(one.column);
    }
    QStringList lines;
    for (const QString& sentence : std::as_const(sentences)) {
        lines.append(
            tr("Not shown: %1. %2").arg(columns[sentence].join(QLatin1String(", ")), sentence));
    }
    m_problems->setText(lines.join(u'\n'));
    m_problems->setVisible(!lines.isEmpty());
}

void EncodedPreview::setChosen(const QString& column, const QStringList& inner)
{
    if (column == m_chosen && inner == m_inner) {
        return;
    }
    QStringList changed;
    for (auto block = m_blocks.cbegin(); block != m_blocks.cend(); ++block) {
        if (isChosen(block.key())) {
            changed << block.key();
        }
    }
    m_chosen = column;
    m_inner = inner;
    for (auto block = m_blocks.cbegin(); block != m_blocks.cend(); ++block) {
        if (isChosen(block.key()) || changed.contains(block.key())) {
            setTitle(*block.value(), block.key());
        }
    }
    // Once the blocks are laid out.
    QMetaObject::invokeMethod(this, &EncodedPreview::scrollToChosen, Qt::QueuedConnection);
}

bool EncodedPreview::isChosen(const QString& input) const
{
    const bool isInput =
        std::any_of(m_inputFacts.begin(), m_inputFacts.end(),
                    [&](const EncodedInputFacts& facts) { return facts.column == m_chosen; });
    const QString column = m_inputFacts.value(input).column;
    // A column that only others are made of is marked in what is made of it.
    return isInput ? column == m_chosen : m_inner.contains(column);
}

void EncodedPreview::scrollToChosen()
{
    auto* block = findChild<QWidget*>("encoded.chosen");
    for (QWidget* outer = parentWidget(); block && outer; outer = outer->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(outer)) {
            area->ensureWidgetVisible(block, 0, 0);
            return;
        }
    }
}

/// The model does not receive it.
bool EncodedPreview::isLabel(const QString& input) const
{
    return input == QLatin1String("label") && !m_inputFacts.isEmpty() &&
           !m_inputFacts.contains(input);
}

void EncodedPreview::show(qsizetype row)
{
    clearLayout(m_inputs);
    m_blocks.clear();
    m_row = std::clamp<qsizetype>(row, 0, std::max<qsizetype>(0, m_rows.size() - 1));
    m_title->setText(tr("Row %1").arg(formatCount(m_row + 1)));
    m_back->setEnabled(m_row > 0);
    m_forward->setEnabled(m_row + 1 < m_rows.size());
    QWidget* label = nullptr;
    for (const EncodedCellFacts& input : encodedRowFromJson(m_rows.at(m_row).toObject())) {
        if (isLabel(input.name)) {
            label = makeBlock(tr("label, to be predicted"), input.values);
            label->setObjectName("encoded.label");
        } else {
            QWidget* block = makeBlock(input.name, input.values);
            m_blocks.insert(input.name, block);
            m_inputs->addWidget(block);
        }
    }
    if (label != nullptr) {
        m_inputs->addWidget(label);
    }
}

QWidget* EncodedPreview::makeBlock(const QString& name,
                                   const QList<EncodedValueFacts>& values) const
{
    const EncodedInputFacts facts = m_inputFacts.value(name);
    const bool isId = facts.areIds;
    // The order of steps counts, so their ids are written out.
    QList<Cell> cells =
        isId ? idCells(values, facts.areSteps ? 0 : facts.width) : numberCells(values);
    if (cells.isEmpty()) {
        cells.append({tr("none"), false});
    }
    QStringList spoken;
    for (const EncodedValueFacts& value : values) {
        spoken.append(cellText(value, isId));
    }
    auto* block = new QWidget;
    block->setAccessibleName(name + ": " + spoken.join(QLatin1String(", ")));
    block->setToolTip(
        isId ? tr("%1 of %2").arg(spoken.join(QLatin1String(", ")), formatCount(facts.width))
             : spoken.join(QLatin1String(", ")));
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(4));
    column->addWidget(new Cells(cells, isId));
    setTitle(*block, name);
    return block;
}

/// Above its values, replacing one that is there.
void EncodedPreview::setTitle(QWidget& block, const QString& name) const
{
    delete block.findChild<Label*>();
    const bool isMarked = isChosen(name);
    block.setObjectName(isMarked ? "encoded.chosen" : "encoded.input");
    auto* title = new Label(name, isMarked ? TextRole::LabelStrong : TextRole::Label,
                            isMarked ? Ink::Accent : Ink::Secondary);
    static_cast<QVBoxLayout*>(block.layout())->insertWidget(0, title);
}

} // namespace cannery::ui
