#include "ui/widgets/dialog.h"

#include "ui/widgets/link_label.h"
#include "ui/widgets/theme.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kWidth = 440;
constexpr int kEdge = 24;

} // namespace

Dialog::Dialog(const QString& title, QWidget* parent)
    : QDialog(parent), m_title(new Label(title, TextRole::Section, Ink::Text, this)),
      m_sentence(new LinkLabel({}, TextRole::Body, Ink::Secondary, this)), m_body(new QVBoxLayout),
      m_buttons(new QHBoxLayout)
{
    setWindowTitle(title);
    auto* column = new QVBoxLayout(this);
    const int edge = scaled(kEdge);
    column->setContentsMargins(edge, edge, edge, edge);
    column->setSpacing(scaled(12));
    column->addWidget(m_title);
    column->addWidget(m_sentence);
    column->addLayout(m_body, 1);
    m_body->setSpacing(scaled(10));
    m_buttons->setSpacing(scaled(8));
    m_buttons->addStretch(1);
    column->addSpacing(scaled(4));
    column->addLayout(m_buttons);
    m_sentence->hide();
    setContentWidth(kWidth);
}

void Dialog::setSentence(const QString& sentence)
{
    m_sentence->setText(sentence);
    m_sentence->setVisible(!sentence.isEmpty());
    m_sentence->setFocusPolicy(sentence.contains("<a ") ? Qt::TabFocus : Qt::NoFocus);
}

void Dialog::setContentWidth(int width)
{
    setMinimumWidth(scaled(width));
    resize(scaled(width), sizeHint().height());
}

Button* Dialog::addButton(Button::Kind kind, const QString& text, int result, bool isDefault)
{
    auto* button = new Button(kind, text, this);
    m_buttons->addWidget(button);
    button->setDefault(isDefault);
    if (isDefault) {
        button->setFocus();
    }
    if (result != keepsOpen) {
        connect(button, &QPushButton::clicked, this, [this, result] { done(result); });
    }
    return button;
}

} // namespace cannery::ui
