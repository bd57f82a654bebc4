"""The model of `calculator`."""


def evaluated(expression):
    stack = []
    for token in expression.split():
        if token in "+-*/":
            right, left = stack.pop(), stack.pop()
            if token == "+":
                stack.append(left + right)
            elif token == "-":
                stack.append(left - right)
            elif token == "*":
                stack.append(left * right)
            else:
                stack.append(left / right)
        else:
            stack.append(float(token))
    return stack.pop()
