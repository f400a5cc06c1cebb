// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editors/field_row.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/field_control.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>

namespace cannery::ui {
namespace {

/// The dot of a field that the file sets.
class ChangedDot : public QWidget
{
public:
    explicit ChangedDot(QWidget* parent) : QWidget(parent) { setFixedSize(scaled(14), scaled(14)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(tokens().accent);
        painter.drawEllipse(QRectF(rect()).center(), scaled(3), scaled(3));
    }
};

/// A widget that keeps its place while it is hidden.
void keepPlace(QWidget* widget)
{
    QSizePolicy policy = widget->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    widget->setSizePolicy(policy);
}

} // namespace

FieldRow::FieldRow(const FormContext& context, const FieldSchema& schema, const QString& path,
                   QWidget* parent)
    : FormPart(context, path, parent), m_schema(schema),
      m_control(FieldControl::make(context, schema, path)), m_dot(new ChangedDot(this)),
      m_label(new Label(schema.label)), m_button(new IconButton("info-circle", schema.label)),
      m_words(new Label({}, TextRole::Label, Ink::Secondary))
{
    setObjectName(QStringLiteral("row.") + path);
    m_button->setObjectName(QStringLiteral("button.") + path);
    m_label->setBuddy(m_control->focusProxy());
    m_label->setWordWrap(true);
    m_label->setToolTip(schema.help + u'\n' + path);
    m_words->setWordWrap(true);
    m_words->setObjectName(QStringLiteral("words.") + path);
    keepPlace(m_dot);
    if (QWidget* field = m_control->focusProxy()) {
        field->installEventFilter(this);
    }
    lay();
    connect(m_button, &QToolButton::clicked, this, &FieldRow::pressButton);
    connect(m_control, &FieldControl::focusChanged, this, [this](bool hasIt) {
        m_hasFocus = hasIt;
        showWords();
    });
    refresh();
    refreshProblems();
}

void FieldRow::lay()
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, scaled(2), 0, scaled(2));
    grid->setHorizontalSpacing(scaled(4));
    grid->setVerticalSpacing(scaled(2));
    grid->addWidget(m_dot, 0, 0, Qt::AlignVCenter);
    grid->addWidget(m_label, 0, 1);
    auto* field = new QHBoxLayout;
    field->setSpacing(scaled(6));
    field->addWidget(m_control, 3);
    if (!m_schema.unit.isEmpty()) {
        auto* unit = new Label(m_schema.unit, TextRole::Label, Ink::Secondary);
        unit->setObjectName(QStringLiteral("unit.") + path());
        field->addWidget(unit, 1);
    } else if (!m_control->isWide()) {
        field->addStretch(1);
    }
    grid->addLayout(field, 0, 2);
    grid->addWidget(m_button, 0, 3);
    grid->addWidget(m_words, 1, 2, 1, 2);
    fitLabel();
    connect(&themeWatch(), &ThemeWatch::changed, this, &FieldRow::fitLabel);
    grid->setColumnStretch(2, 1);
}

void FieldRow::fitLabel()
{
    if (!m_isCompact) {
        m_label->setFixedWidth(scaled(kLabelWidth));
    }
}

void FieldRow::setCompact()
{
    m_isCompact = true;
    m_label->setWordWrap(false);
    m_label->setMinimumWidth(0);
    m_label->setMaximumWidth(QWIDGETSIZE_MAX);
}

void FieldRow::refresh()
{
    m_control->refresh();
    const FieldNode* present = node();
    const bool isChanged = present != nullptr && !present->isDefault;
    const bool isOther = isChanged != m_isChanged;
    m_isChanged = isChanged;
    m_dot->setVisible(isChanged);
    m_button->setIconName(canReset() ? QStringLiteral("arrow-back-up")
                                     : QStringLiteral("info-circle"));
    m_button->setName(canReset() ? tr("Reset %1").arg(context().accessibleName(m_schema.label))
                                 : tr("About %1").arg(context().accessibleName(m_schema.label)));
    useFont(m_label, isChanged ? TextRole::Strong : TextRole::Body);
    if (isOther) {
        Q_EMIT changedStateChanged();
    }
}

bool FieldRow::canReset() const
{
    return m_isChanged && !m_schema.isRequired;
}

void FieldRow::fillMenu(QMenu& menu)
{
    menu.setAttribute(Qt::WA_DeleteOnClose);
    menu.setObjectName(QStringLiteral("menu.field.") + path());
    if (!menu.isEmpty()) {
        menu.addSeparator();
    }
    if (context().menu) {
        menu.addActions(context().menu(path(), &menu));
    }
    QAction* reset =
        menu.addAction(tr("Reset %1").arg(m_schema.label), this, &FieldRow::pressButton);
    reset->setEnabled(canReset());
    menu.addAction(tr("Copy Path of Field"), this,
                   [this] { QGuiApplication::clipboard()->setText(path()); });
}

void FieldRow::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = new QMenu(this);
    fillMenu(*menu);
    menu->popup(event->globalPos());
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ContextMenu || !watched->isWidgetType()) {
        return FormPart::eventFilter(watched, event);
    }
    // A spin box or an editable list has its line edit inside; Cut, Copy and Paste belong to that.
    auto* line = qobject_cast<QLineEdit*>(watched);
    line = line != nullptr ? line : watched->findChild<QLineEdit*>();
    QMenu* menu = line == nullptr ? new QMenu(this) : line->createStandardContextMenu();
    fillMenu(*menu);
    menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
    return true;
}

void FieldRow::pressButton()
{
    if (canReset()) {
        document().apply(tr("Reset %1").arg(m_schema.label), {FieldEdit::remove(path())});
        return;
    }
    // The same button, since a field without a value of its own has nothing to reset.
    m_explains = !m_explains;
    showWords();
}

int FieldRow::find()
{
    return context().isFound(m_schema.label, path(), m_schema.help) ? 1 : 0;
}

void FieldRow::refreshProblems()
{
    showWords();
}

void FieldRow::showWords()
{
    const ProblemRow* problem = document().problems().at(path());
    m_control->setProblem(problem != nullptr && problem->level == ProblemRow::Level::Error);
    QStringList sentences;
    if (problem != nullptr) {
        sentences << problem->sentence;
    } else if (m_explains) {
        sentences << m_schema.help;
    }
    if (problem == nullptr && (m_hasFocus || m_explains)) {
        sentences << m_schema.rangeSentence();
    }
    if (problem == nullptr && context().formerly) {
        sentences << context().formerly(path());
    }
    sentences.removeAll(QString());
    m_words->setInk(problem == nullptr                           ? Ink::Secondary
                    : problem->level == ProblemRow::Level::Error ? Ink::Error
                                                                 : Ink::Warn);
    m_words->setText(sentences.join(u' '));
    m_words->setVisible(!sentences.isEmpty());
}

} // namespace cannery::ui
