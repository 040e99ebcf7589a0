/* The least that a program costs. The Makefile links it with all that the command is linked with. */
int main(void)
{
    return 0;
}
